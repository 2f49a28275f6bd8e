#include "bindings/features.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bindings/arrays.hpp"
#include "features/given.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace features;

/// A template written in Python: it is called under the interpreter's lock, so the search is slow with it.
class PythonTemplate final : public Template {
 public:
  PythonTemplate(std::string name, nb::object events)
      : name_(std::move(name)), events_(std::move(events)), has_rule_(nb::hasattr(events_, "rule")),
        has_border_(nb::hasattr(events_, "border")) {}
  ~PythonTemplate() override {
    const nb::gil_scoped_acquire lock;
    events_.reset();
  }
  PythonTemplate(const PythonTemplate&) = delete;
  PythonTemplate& operator=(const PythonTemplate&) = delete;

  std::string_view name() const override { return name_; }
  unsigned needs() const override { return has_border_ ? kLastWord | kLastPair : kNothing; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    if (!has_rule_) return;
    const nb::gil_scoped_acquire lock;
    fire(events_.attr("rule")(words(rule.source, sink), words(rule.target, sink), links(rule)), sink);
  }

  void at_border(const Before& before, const RuleFacts*, const RuleFacts& rule, EventSink& sink) const override {
    if (!has_border_) return;
    const nb::gil_scoped_acquire lock;
    const auto pair = nb::make_tuple(text(before.pair_source, sink), text(before.pair_target, sink));
    fire(events_.attr("border")(text(before.words[0], sink), pair, words(rule.source, sink),
                                words(rule.target, sink), links(rule)),
         sink);
  }

 private:
  static nb::str text(TokenId token, const EventSink& sink) {
    const std::string_view word = sink.text(token);
    return nb::str(word.data(), word.size());
  }
  static nb::list words(std::span<const TokenId> tokens, const EventSink& sink) {
    nb::list out;
    for (TokenId token : tokens) out.append(text(token, sink));
    return out;
  }
  static nb::list links(const RuleFacts& rule) {
    nb::list out;
    for (const Link& link : rule.links) out.append(nb::make_tuple(link.source, link.target));
    return out;
  }
  static void fire(nb::object names, EventSink& sink) {
    for (nb::handle name : names) sink.fire({Position::of(nb::cast<std::string_view>(name))});
  }

  std::string name_;
  nb::object events_;
  bool has_rule_, has_border_;
};

using Column = std::pair<std::vector<std::string>, std::vector<std::vector<std::string>>>;
using Types = std::vector<std::pair<std::string, std::optional<Column>>>;

TokenTypes token_types(const Types& described) {
  TokenTypes types;
  for (const auto& [name, column] : described) {
    if (column) {
      types.add_column(name, column->first, column->second);
    } else {
      types.add(name);
    }
  }
  return types;
}

std::uint32_t mask_of(const TokenTypes& types, const std::vector<std::string>& names) {
  std::uint32_t mask = 0;
  for (const std::string& name : names) {
    std::size_t type = 0;
    while (type < types.size() && types.name(type) != name) ++type;
    if (type == types.size()) throw nb::value_error(("no token type is called '" + name + "'").c_str());
    mask |= 1u << type;
  }
  return mask;
}

using Names = std::vector<std::string>;

class StoredWeights final : public WeightSource {
 public:
  explicit StoredWeights(MatrixIn<std::uint32_t> table) : table_(std::move(table)) {
    if (table_.shape(1) * sizeof(std::uint32_t) != sizeof(StoredWeight)) throw nb::value_error("wrong width of a table");
    if (table_.shape(0) > 0xffffffffu) throw nb::value_error("a table is too long");
  }
  PinnedWeights pin() const override { return {{table_.data(), table_.shape(0), sizeof(StoredWeight)}, 0, nullptr}; }

 private:
  MatrixIn<std::uint32_t> table_;
};

/// Weights with some of them changed.
class ChangedWeights final : public WeightSource {
 public:
  ChangedWeights(nb::object base, ArrayIn<std::uint64_t> features, ArrayIn<float> changes) : base_(std::move(base)) {
    if (features.size() != changes.size()) throw nb::value_error("a change for each feature is expected");
    source_ = base_.is_none() ? nullptr : nb::cast<const WeightSource*>(base_);
    if (const auto* changed = dynamic_cast<const ChangedWeights*>(source_)) {  // both changes become one
      table_ = changed->table_;
      source_ = changed->source_;
    }
    for (std::size_t i = 0; i < features.size(); ++i) table_.add(view(features)[i], view(changes)[i]);
    changes_ = table_.view();
  }
  ChangedWeights(const ChangedWeights&) = delete;
  ChangedWeights& operator=(const ChangedWeights&) = delete;

  PinnedWeights pin() const override {
    PinnedWeights pinned = source_ == nullptr ? PinnedWeights() : source_->pin();
    pinned.view = pinned.view.plus(changes_);
    return pinned;
  }

 private:
  nb::object base_;  // keeps what `source_` is
  const WeightSource* source_;
  WeightTable table_;
  WeightView changes_;
};

/// Translations of one sentence that Python has as arrays.
class GivenCandidates {
 public:
  GivenCandidates(BoundSparse& sparse, const Names& source, ArrayIn<std::uint32_t> words, ArrayIn<std::int64_t> word_offsets,
                  MatrixIn<std::uint32_t> links, ArrayIn<std::int64_t> link_offsets,
                  std::optional<MatrixIn<std::uint32_t>> phrases, std::optional<ArrayIn<std::int64_t>> phrase_offsets)
      : sentence_(sparse.model, source, std::vector<WordId>(source.size(), kNoWord)), words_(view(words)),
        word_offsets_(view(word_offsets)), link_offsets_(view(link_offsets)) {
    links_ = rows<std::array<std::uint32_t, 2>>(links);
    if (phrases && phrase_offsets) {
      phrases_ = rows<GivenPhrase>(*phrases);
      phrase_offsets_ = view(*phrase_offsets);
      if (phrase_offsets_.size() != word_offsets_.size()) throw nb::value_error("phrases for every candidate are expected");
    }
    if (word_offsets_.empty() || link_offsets_.size() != word_offsets_.size())
      throw nb::value_error("links for every candidate are expected");
  }

  std::size_t size() const { return word_offsets_.size() - 1; }
  SparseScorer& scorer() { return sentence_.scorer(); }
  const std::vector<SparseStep>& derivation(std::size_t row) {
    return sentence_.derivation({part(words_, word_offsets_, row), part(links_, link_offsets_, row),
                                 phrase_offsets_.empty() ? phrases_ : part(phrases_, phrase_offsets_, row)});
  }

 private:
  template <class Row>
  static std::span<const Row> rows(const MatrixIn<std::uint32_t>& values) {
    if (values.shape(1) * sizeof(std::uint32_t) != sizeof(Row)) throw nb::value_error("wrong width of a table");
    return {reinterpret_cast<const Row*>(values.data()), values.shape(0)};
  }
  template <class T>
  static std::span<const T> part(std::span<const T> values, std::span<const std::int64_t> offsets, std::size_t row) {
    const std::int64_t begin = offsets[row], end = offsets[row + 1];
    if (begin < 0 || begin > end || static_cast<std::size_t>(end) > values.size())
      throw nb::value_error("offsets must rise and stay within the values");
    return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

  GivenSentence sentence_;
  std::span<const WordId> words_;
  std::span<const std::int64_t> word_offsets_, link_offsets_, phrase_offsets_;
  std::span<const std::array<std::uint32_t, 2>> links_;
  std::span<const GivenPhrase> phrases_;
};

template <class T>
ArrayOut<T> array(std::span<const T> values) {
  Buffer<T> buffer;
  buffer.append(values.data(), values.size());
  return to_numpy(std::move(buffer));
}

template <class T>
ArrayOut<T> array(const std::vector<T>& values) {
  return array(std::span<const T>(values));
}

}  // namespace

void bind_features(nb::module_& module) {
  module.def("template_names", [] {
        Names names;
        for (std::string_view name : template_names()) names.emplace_back(name);
        return names;
      }, "Names of the templates of the engine.");
  module.def("feature_number", [](std::string_view name) { return parse_feature(name); }, "name"_a,
             "The id of the sparse feature with this name; ValueError if the name is invalid.");
  module.def("feature_numbers", [](const Names& names) {
        std::vector<std::uint64_t> numbers;
        for (const std::string& name : names) numbers.push_back(parse_feature(name));
        return array(numbers);
      }, "names"_a, "The ids of the sparse features with these names.");
  module.def("token_forms", [](std::string_view word, const Types& described) {
        const TokenTypes types = token_types(described);
        std::vector<Form> forms;
        types.forms(word, forms);
        Names out;
        for (const Form& form : forms) out.push_back(types.describe(word, form));
        return out;
      }, "word"_a, "types"_a, "The forms of a word, as printed in feature names.");
  module.def("fill_weight_table", [](ArrayIn<std::uint64_t> features, ArrayIn<float> weights, std::size_t slots) {
        for (;; slots += slots / 2 + 2) {
          Buffer<std::uint32_t> table;
          table.resize(slots * 4);
          try {
            fill_table(view(features), view(weights), {reinterpret_cast<StoredWeight*>(table.data()), slots});
          } catch (const std::length_error&) {
            continue;
          }
          return to_numpy(std::move(table), {slots, 4});
        }
      }, "features"_a, "weights"_a, "slots"_a,
      "Lays weights out in at least so many slots so that they can be stored and found: a row is a feature's number in two "
      "halves, its weight's bits and its position; ValueError if a feature occurs twice.");

  nb::class_<BoundSparse>(module, "SparseModel", "The sparse features that a search scores.")
      .def("__init__",
           [](BoundSparse* self, const text::Vocabulary& source, const text::Vocabulary& target,
              const Types& source_types, const Types& target_types,
              const std::vector<std::tuple<std::string, Names, Names>>& templates,
              const std::vector<std::tuple<std::string, nb::object>>& python_templates) {
             Lexicon lexicon(source, target, token_types(source_types), token_types(target_types));
             std::vector<ActiveTemplate> active;
             for (const auto& [name, source_names, target_names] : templates)
               active.push_back({make_template(name), mask_of(lexicon.types(false), source_names),
                                 mask_of(lexicon.types(true), target_names)});
             for (const auto& [name, events] : python_templates)
               active.push_back({std::make_unique<PythonTemplate>(name, events)});
             new (self) BoundSparse(std::move(lexicon), std::move(active));
           },
           nb::kw_only(), "source_words"_a, "target_words"_a, "source_types"_a, "target_types"_a, "templates"_a,
           "python_templates"_a = nb::list(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("given_features", [](BoundSparse& self, const Names& source, ArrayIn<std::uint32_t> words,
                                ArrayIn<std::int64_t> word_offsets, MatrixIn<std::uint32_t> links,
                                ArrayIn<std::int64_t> link_offsets, std::optional<MatrixIn<std::uint32_t>> phrases,
                                std::optional<ArrayIn<std::int64_t>> phrase_offsets) {
             GivenCandidates given(self, source, words, word_offsets, links, link_offsets, phrases, phrase_offsets);
             Buffer<std::int64_t> offsets;
             Buffer<std::uint64_t> features;
             Buffer<float> counts;
             offsets.push_back(0);
             std::vector<Firing> firings;
             for (std::size_t row = 0; row < given.size(); ++row) {
               given.scorer().features(given.derivation(row), firings);
               for (const Firing& firing : firings) {
                 features.push_back(firing.feature);
                 counts.push_back(firing.count);
               }
               offsets.push_back(static_cast<std::int64_t>(features.size()));
             }
             return std::tuple(to_numpy(std::move(offsets)), to_numpy(std::move(features)), to_numpy(std::move(counts)));
           }, "source"_a, "words"_a, "word_offsets"_a, "links"_a, "link_offsets"_a, "phrases"_a.none() = nb::none(),
           "phrase_offsets"_a.none() = nb::none(),
           "Sparse features of translations of a sentence that some decoder made: where each begins, features by rising "
           "number, counts. Words are numbers of the target vocabulary, links pairs of source and target position, "
           "phrases the first and last source and target word of each; without phrases a translation is one.")
      .def("given_names", [](BoundSparse& self, ArrayIn<std::uint64_t> wanted, const Names& source,
                             ArrayIn<std::uint32_t> words, ArrayIn<std::int64_t> word_offsets,
                             MatrixIn<std::uint32_t> links, ArrayIn<std::int64_t> link_offsets,
                             std::optional<MatrixIn<std::uint32_t>> phrases,
                             std::optional<ArrayIn<std::int64_t>> phrase_offsets) {
             GivenCandidates given(self, source, words, word_offsets, links, link_offsets, phrases, phrase_offsets);
             std::unordered_set<std::uint64_t> missing(wanted.data(), wanted.data() + wanted.size());
             SparseScorer::Seen seen;
             nb::dict out;
             for (std::size_t row = 0; row < given.size() && !missing.empty(); ++row)
               given.scorer().for_each_named(given.derivation(row), seen, [&](std::uint64_t feature, std::uint32_t, auto&& name) {
                 if (missing.erase(feature) > 0) out[nb::int_(feature)] = name();
               });
             return out;
           }, "wanted"_a, "source"_a, "words"_a, "word_offsets"_a, "links"_a, "link_offsets"_a,
           "phrases"_a.none() = nb::none(), "phrase_offsets"_a.none() = nb::none(),
           nb::sig("def given_names(self, wanted: NDArray[numpy.uint64], source: Sequence[str], "
                   "words: NDArray[numpy.uint32], word_offsets: NDArray[numpy.int64], links: NDArray[numpy.uint32], "
                   "link_offsets: NDArray[numpy.int64], phrases: NDArray[numpy.uint32] | None = None, "
                   "phrase_offsets: NDArray[numpy.int64] | None = None) -> dict[int, str]"),
           "Names of those features of `given_features` that are wanted.");

  nb::class_<WeightSource>(module, "SparseWeights", "Weights of sparse features by number.")
      .def("weights", [](const WeightSource& self, ArrayIn<std::uint64_t> features) {
             const PinnedWeights weights = self.pin();
             Buffer<float> out;
             for (std::uint64_t feature : view(features)) out.push_back(weights.view.weight(feature));
             return to_numpy(std::move(out));
           }, "features"_a, "The weights of some features, 0 for those that have none.");
  nb::class_<StoredWeights, WeightSource>(module, "StoredWeights", "Weights in a table that `fill_weight_table` made.")
      .def(nb::init<MatrixIn<std::uint32_t>>(), "table"_a);
  nb::class_<ChangedWeights, WeightSource>(module, "ChangedWeights", "Weights with some of them changed.")
      .def(nb::init<nb::object, ArrayIn<std::uint64_t>, ArrayIn<float>>(), "base"_a.none(), "features"_a, "changes"_a,
           nb::sig("def __init__(self, base: SparseWeights | None, features: NDArray[numpy.uint64], "
                   "changes: NDArray[numpy.float32]) -> None"));
  nb::class_<LearnedWeights, WeightSource>(
      module, "LearnedWeights", "Weights that are being learned, with their average over all steps.")
      .def(nb::init<>())
      .def("__len__", [](const LearnedWeights& self) { return self.learned.table().size(); })
      .def_prop_ro("active", [](const LearnedWeights& self) { return self.learned.table().active(); },
                   "Features whose weight is not 0.")
      .def_prop_ro("bytes", [](const LearnedWeights& self) { return self.learned.table().bytes(); }, "Memory in use.")
      .def_prop_ro("steps", [](const LearnedWeights& self) { return self.learned.table().steps(); }, "Steps so far.")
      .def("next_step", [](LearnedWeights& self) { self.learned.table().next_step(); },
           "Add the current weights to the average.")
      .def("add", [](LearnedWeights& self, ArrayIn<std::uint64_t> features, ArrayIn<float> changes) {
             if (features.size() != changes.size()) throw nb::value_error("a change for each feature is expected");
             constexpr std::size_t kAhead = 16;  // weights lie all over memory
             const auto numbers = view(features);
             Buffer<std::uint64_t> fresh;
             self.learned.change([&](WeightTable& table) {
               for (std::size_t i = 0; i < numbers.size(); ++i) {
                 if (i + kAhead < numbers.size()) table.prefetch(numbers[i + kAhead]);
                 if (table.add(numbers[i], view(changes)[i])) fresh.push_back(numbers[i]);
               }
             });
             return to_numpy(std::move(fresh));
           }, "features"_a, "changes"_a, "Change some weights; returns the new features.")
      .def("columns", [](const LearnedWeights& self) {
             const WeightTable::Columns columns = self.learned.table().columns();
             return std::tuple(array(columns.features), array(columns.weights), array(columns.sums),
                               array(columns.checks));
           }, "All features, their weights, the sums of their weights over all steps, and their checks.")
      .def_ro("collisions", &LearnedWeights::collisions,
              "Features whose hash collides with another one, with the name of the second one.")
      .def("restore", [](LearnedWeights& self, ArrayIn<std::uint64_t> features, ArrayIn<float> weights,
                         ArrayIn<double> sums, ArrayIn<std::uint32_t> checks, std::uint32_t steps) {
             self.learned.change([&](WeightTable& table) {
               table.restore(view(features), view(weights), view(sums), view(checks), steps);
             });
           }, "features"_a, "weights"_a, "sums"_a, "checks"_a, "steps"_a, "Restore from `columns`.");

  nb::class_<EventPool>(module, "EventPool", "The events of the translations of one sentence, each with its features.")
      .def(nb::init<>())
      .def("__init__", [](EventPool* self, ArrayIn<std::uint64_t> keys, ArrayIn<std::int64_t> offsets,
                          ArrayIn<std::uint64_t> features) {
             new (self) EventPool(view(keys), view(offsets), view(features));
           }, "keys"_a, "offsets"_a, "features"_a)
      .def("__len__", &EventPool::size)
      .def("arrays", [](const EventPool& self) {
             return std::tuple(array(self.keys()), array(self.offsets()), array(self.features()));
           }, "What a pool with the same events can be made of: their keys, where the features of each begin, features.")
      .def("features_since", [](const EventPool& self, std::size_t first) {
             const auto begin = first < self.size() ? static_cast<std::size_t>(self.offsets()[first]) : self.features().size();
             return array(self.features().subspan(begin));
           }, "first"_a, "The features of an event and of all later ones.")
      .def("keep", [](EventPool& self, ArrayIn<std::uint64_t> events) { return array(self.keep(view(events))); },
           "events"_a, "Drop all other events; returns the new id of every event, 2**32 - 1 for dropped ones.")
      .def("different_features", [](const EventPool& self, ArrayIn<std::int64_t> offsets, ArrayIn<std::uint64_t> events,
                                    ArrayIn<float> counts, const WeightSource& weights) {
             const PinnedWeights pinned = weights.pin();
             DifferentFeatures found;
             {
               const nb::gil_scoped_release release;
               found = different_features(self, view(offsets), view(events), view(counts), pinned.view);
             }
             return std::tuple(array(found.offsets), array(found.columns), array(found.counts), array(found.features),
                               array(found.sums));
           }, "offsets"_a, "events"_a, "counts"_a, "weights"_a,
           "In what rows of events differ: where the features of each row begin, their columns, their counts, the features "
           "by column, and the sum of weight times count of each row.");
}

}  // namespace isogloss::bindings
