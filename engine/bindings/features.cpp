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
#include <utility>

#include "bindings/arrays.hpp"

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

class StoredWeights final : public BoundWeights {
 public:
  explicit StoredWeights(MatrixIn<std::uint32_t> table) : table_(std::move(table)) {
    if (table_.shape(1) * sizeof(std::uint32_t) != sizeof(StoredWeight)) throw nb::value_error("wrong width of a table");
    if (table_.shape(0) > 0xffffffffu) throw nb::value_error("a table is too long");
  }
  WeightView view() const override { return {table_.data(), table_.shape(0), sizeof(StoredWeight)}; }

 private:
  MatrixIn<std::uint32_t> table_;
};

class LearnedWeights final : public BoundWeights {
 public:
  LearnedWeights() = default;
  LearnedWeights(const LearnedWeights&) = delete;
  LearnedWeights& operator=(const LearnedWeights&) = delete;
  WeightView view() const override { return table.view(); }
  WeightTable table;
};

template <class T>
ArrayOut<T> array(const std::vector<T>& values) {
  Buffer<T> buffer;
  buffer.append(values.data(), values.size());
  return to_numpy(std::move(buffer));
}

}  // namespace

void bind_features(nb::module_& module) {
  module.def("template_names", [] {
        Names names;
        for (std::string_view name : template_names()) names.emplace_back(name);
        return names;
      }, "Names of the templates of the engine.");
  module.def("feature_number", [](std::string_view name) { return parse_feature(name); }, "name"_a,
             "The number of the sparse feature with this name; ValueError if no feature can have it.");
  module.def("feature_numbers", [](const Names& names) {
        std::vector<std::uint64_t> numbers;
        for (const std::string& name : names) numbers.push_back(parse_feature(name));
        return array(numbers);
      }, "names"_a, "The numbers of the sparse features with these names.");
  module.def("token_forms", [](std::string_view word, const Types& described) {
        const TokenTypes types = token_types(described);
        std::vector<Form> forms;
        types.forms(word, forms);
        Names out;
        for (const Form& form : forms) out.push_back(types.describe(word, form));
        return out;
      }, "word"_a, "types"_a, "The forms of a word, as they are printed in names of features.");
  module.def("number_columns", [](ArrayIn<std::uint64_t> features) {
        const auto values = view(features);
        std::size_t size = 16;
        while (size < values.size() * 2) size *= 2;
        std::vector<std::uint32_t> slots(size, 0xffffffffu);
        Buffer<std::uint64_t> different;
        Buffer<std::uint32_t> columns;
        for (std::uint64_t feature : values) {
          std::size_t at = feature & (size - 1);
          while (slots[at] != 0xffffffffu && different[slots[at]] != feature) at = (at + 1) & (size - 1);
          if (slots[at] == 0xffffffffu) {
            slots[at] = static_cast<std::uint32_t>(different.size());
            different.push_back(feature);
          }
          columns.push_back(slots[at]);
        }
        return std::tuple(to_numpy(std::move(columns)), to_numpy(std::move(different)));
      }, "features"_a, "Small numbers for the features in the order of first appearance, and the features by them.");
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
      "halves, its weight's bits and its position; ValueError if a feature stands twice.");

  nb::class_<BoundSparse>(module, "SparseModel", "The sparse features that a search scores.")
      .def("__init__",
           [](BoundSparse* self, const Vocabulary& source, const Vocabulary& target, const Types& source_types,
              const Types& target_types, const std::vector<std::tuple<std::string, Names, Names>>& templates,
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
           "python_templates"_a = nb::list(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());

  nb::class_<BoundWeights>(module, "SparseWeights", "Weights of sparse features by number.")
      .def("weights", [](const BoundWeights& self, ArrayIn<std::uint64_t> features) {
             Buffer<float> out;
             for (std::uint64_t feature : view(features)) out.push_back(self.view().weight(feature));
             return to_numpy(std::move(out));
           }, "features"_a, "The weights of some features, 0 for those that have none.");
  nb::class_<StoredWeights, BoundWeights>(module, "StoredWeights", "Weights in a table that `fill_weight_table` made.")
      .def(nb::init<MatrixIn<std::uint32_t>>(), "table"_a);
  nb::class_<LearnedWeights, BoundWeights>(
      module, "LearnedWeights", "Weights that are being learned, with their average over all steps.")
      .def(nb::init<>())
      .def("__len__", [](const LearnedWeights& self) { return self.table.size(); })
      .def_prop_ro("bytes", [](const LearnedWeights& self) { return self.table.bytes(); }, "Memory in use.")
      .def_prop_ro("steps", [](const LearnedWeights& self) { return self.table.steps(); }, "Steps so far.")
      .def("next_step", [](LearnedWeights& self) { self.table.next_step(); },
           "Count the weights as they are once more in the average.")
      .def("add", [](LearnedWeights& self, ArrayIn<std::uint64_t> features, ArrayIn<float> changes) {
             if (features.size() != changes.size()) throw nb::value_error("a change for each feature is expected");
             Buffer<std::uint64_t> fresh;
             for (std::size_t i = 0; i < features.size(); ++i)
               if (self.table.add(view(features)[i], view(changes)[i])) fresh.push_back(view(features)[i]);
             return to_numpy(std::move(fresh));
           }, "features"_a, "changes"_a, "Change some weights; gives the features that are new.")
      .def("columns", [](const LearnedWeights& self) {
             const WeightTable::Columns columns = self.table.columns();
             return std::tuple(array(columns.features), array(columns.weights), array(columns.sums));
           }, "All features, their weights, and the sums of their weights over all steps.")
      .def("restore", [](LearnedWeights& self, ArrayIn<std::uint64_t> features, ArrayIn<float> weights,
                         ArrayIn<double> sums, std::uint32_t steps) {
             self.table.restore(view(features), view(weights), view(sums), steps);
           }, "features"_a, "weights"_a, "sums"_a, "steps"_a, "Take up where `columns` left off.");
}

}  // namespace isogloss::bindings
