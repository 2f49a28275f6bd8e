#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/parallel.hpp"
#include "bindings/arrays.hpp"
#include "bindings/features.hpp"
#include "bindings/lm.hpp"
#include "bindings/nbest.hpp"
#include "bindings/rule_table.hpp"
#include "nbest/builder.hpp"
#include "search/decoder.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace search;

using OptionsDict = nb::typed<nb::dict, nb::str, nb::any>;

/// Translations with all that their searches kept, for those who ask for more than the n-best list.
struct Searched {
  Searched() = default;
  Searched(const Searched&) = delete;
  Searched& operator=(const Searched&) = delete;

  struct Sentence {
    std::unique_ptr<Translation> translation;
    std::vector<Path> paths;  // of the candidates
  };
  std::vector<Sentence> sentences;

  Sentence& at(std::size_t sentence) {
    if (sentence >= sentences.size()) throw nb::index_error("no such sentence");
    if (sentences[sentence].translation && sentences[sentence].translation->sparse() == nullptr)
      throw nb::value_error("this search has no sparse features");
    return sentences[sentence];
  }
  static std::vector<features::SparseStep> steps(Sentence& sentence, std::int64_t row) {
    if (row < 0 || static_cast<std::size_t>(row) >= sentence.paths.size()) throw nb::index_error("no such candidate");
    std::vector<features::SparseStep> steps;
    sentence.translation->sparse_steps(sentence.paths[static_cast<std::size_t>(row)], steps);
    return steps;
  }

  /// Sparse features of some candidates of a sentence.
  nb::tuple sparse(std::size_t number, const std::vector<std::int64_t>& rows) {
    Sentence& sentence = at(number);
    Buffer<std::int64_t> offsets;
    Buffer<std::uint64_t> features;
    Buffer<float> counts;
    offsets.push_back(0);
    std::vector<features::Firing> firings;
    for (std::int64_t row : rows) {
      sentence.translation->sparse()->features(steps(sentence, row), firings);
      for (const features::Firing& firing : firings) {
        features.push_back(firing.feature);
        counts.push_back(firing.count);
      }
      offsets.push_back(static_cast<std::int64_t>(features.size()));
    }
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(features)), to_numpy(std::move(counts)));
  }

  /// Names of those features of some candidates that are wanted: features, names one after another, their ends.
  nb::tuple names(std::size_t number, const std::vector<std::int64_t>& rows, ArrayIn<std::uint64_t> wanted) {
    Sentence& sentence = at(number);
    std::unordered_set<std::uint64_t> missing(wanted.data(), wanted.data() + wanted.size());
    Buffer<std::uint64_t> features, ends;
    Buffer<std::uint8_t> names;
    for (std::int64_t row : rows) {
      if (missing.empty()) break;
      sentence.translation->sparse()->for_each_named(
          steps(sentence, row), [&](std::uint64_t feature, auto&& name) {
            if (missing.erase(feature) == 0) return;
            const std::string text = name();
            features.push_back(feature);
            names.append(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
            ends.push_back(names.size());
          });
    }
    return nb::make_tuple(to_numpy(std::move(features)), to_numpy(std::move(names)), to_numpy(std::move(ends)));
  }
};

/// A model, its limits and weights; sentences go in as words and come out as an n-best list.
class Decoder {
 public:
  Decoder(const BoundTable& table, const Vocabulary& source_words, const Vocabulary& target_words,
          const MappedModel& language_model, std::vector<std::string> column_names, const OptionsDict& options,
          const BoundSparse* sparse)
      : table_(table.table), source_words_(source_words), target_words_(target_words),
        language_model_(language_model), sparse_(sparse), layout_(table.table.columns()) {
    if (column_names.size() != layout_.table_columns())
      throw nb::value_error("one name for each column of the rule table is expected");
    names_.push_back("lm");
    for (std::string& name : column_names) names_.push_back(std::move(name));
    for (std::string& name : FeatureLayout::counted_names()) names_.push_back(std::move(name));
    for (WordId word = 0; word < target_words.size(); ++word)
      lm_words_.push_back(language_model.find(target_words.word(word)));
    read(options);
    if (sparse_ != nullptr) rule_memory_ = std::make_unique<features::RuleMemory>(table_.rule_count());
    set_weights(std::vector<double>(layout_.size(), 0.0), nullptr);
  }

  const std::vector<std::string>& names() const { return names_; }

  /// Sparse weights that changed must be set again.
  void set_weights(const std::vector<double>& weights, const BoundWeights* sparse) {
    if (sparse != nullptr && sparse_ == nullptr) throw nb::value_error("this search has no sparse features");
    weights_ = std::make_unique<SearchWeights>(layout_, weights);
    sparse_weights_ = sparse == nullptr ? features::WeightView() : sparse->view();
    ++version_;
  }

  /// Translates sentences or lattices; the n-best list has their numbers from 0. What was searched is put into
  /// `keep`, if given.
  nb::dict translate(nb::list sources, std::size_t nbest, bool distinct, std::size_t threads, Searched* keep) const {
    std::vector<Input> inputs;
    for (nb::handle source : sources) inputs.push_back(read_input(source));
    NbestBuilder builder;
    BeamStatistics total;
    {
      const nb::gil_scoped_release release;
      std::vector<Candidates> found(inputs.size());
      if (keep != nullptr) keep->sentences.resize(inputs.size());
      parallel_for(inputs.size(), threads, [&](std::size_t i, std::size_t) {
        found[i] = decode(inputs[i], nbest, distinct, keep == nullptr ? nullptr : &keep->sentences[i]);
      });
      for (std::size_t i = 0; i < found.size(); ++i) {
        total.hypotheses += found[i].statistics.hypotheses;
        total.recombined += found[i].statistics.recombined;
        total.pruned += found[i].statistics.pruned;
        add(builder, static_cast<std::int64_t>(i), inputs[i].words, found[i]);
      }
    }
    nb::dict out = to_dict(builder.finish());
    out["hypotheses"] = total.hypotheses;
    out["recombined"] = total.recombined;
    return out;
  }

 private:
  struct Input {
    std::vector<std::string> words;
    std::size_t places;
    std::vector<SourceArc> arcs;
  };
  struct Candidates {
    std::vector<std::vector<WordId>> words;
    std::vector<double> features, scores;
    BeamStatistics statistics;
  };

  /// A sentence is a list of words, a lattice a tuple of its number of places and its arcs.
  Input read_input(nb::handle source) const {
    Input input;
    if (!nb::isinstance<nb::tuple>(source)) {
      input.words = nb::cast<std::vector<std::string>>(source);
      input.places = input.words.size() + 1;
      for (std::size_t i = 0; i < input.words.size(); ++i) add_arc(input, i, i + 1, i, 0.0f);
      return input;
    }
    const auto lattice = nb::borrow<nb::tuple>(source);
    input.places = nb::cast<std::size_t>(lattice[0]);
    for (nb::handle arc : nb::borrow<nb::iterable>(lattice[1])) {
      const auto [begin, end, word, score] =
          nb::cast<std::tuple<std::size_t, std::size_t, std::string, float>>(arc);
      input.words.push_back(word);
      add_arc(input, begin, end, input.words.size() - 1, score);
    }
    return input;
  }

  void add_arc(Input& input, std::size_t begin, std::size_t end, std::size_t word, float score) const {
    if (end > Source::kMostPlaces) throw nb::value_error("a sentence or lattice is too long");
    if (begin >= end) throw nb::value_error("an arc of a lattice must lead forward");
    const std::string& text = input.words[word];
    input.arcs.push_back({static_cast<Place>(begin), static_cast<Place>(end), source_words_.find(text),
                          language_model_.find(text), static_cast<std::uint32_t>(word), score});
  }

  /// Takes every option under the name of its field; what is not given keeps the engine's default.
  void read(const OptionsDict& options) {
    for (auto [key, value] : options) {
      const auto name = nb::cast<std::string>(key);
      try {
        if (!read_option(name, value)) throw nb::value_error(("no option is called '" + name + "'").c_str());
      } catch (const nb::cast_error&) {
        throw nb::value_error(("the option '" + name + "' has a value of the wrong type").c_str());
      }
    }
    options_.beam.distortion_limit = options_.matches.distortion_limit;
  }

  bool read_option(const std::string& name, nb::handle value) {
    const std::pair<std::string_view, unsigned*> numbers[] = {
        {"max_span", &options_.collector.max_span},
        {"max_options", &options_.collector.max_options},
        {"max_scanned", &options_.collector.max_scanned},
        {"distortion_limit", &options_.matches.distortion_limit},
        {"beam_size", &options_.beam.beam_size},
        {"pop_limit", &options_.beam.pop_limit}};
    const std::pair<std::string_view, bool*> flags[] = {
        {"hierarchical", &options_.matches.hierarchical},
        {"gap_rules", &options_.matches.gap_rules},
        {"reordering_glue", &options_.matches.reordering_glue},
        {"diversity", &options_.beam.diversity}};
    for (auto [known, into] : numbers)
      if (name == known) return *into = nb::cast<unsigned>(value), true;
    for (auto [known, into] : flags)
      if (name == known) return *into = nb::cast<bool>(value), true;
    if (name == "threshold") return options_.beam.threshold = nb::cast<float>(value), true;
    if (name == "phrase_order") return options_.beam.phrase_order = phrase_order(nb::cast<std::string>(value)), true;
    return false;
  }

  static PhraseOrder phrase_order(const std::string& name) {
    if (name == "monotone") return PhraseOrder::kMonotone;
    if (name == "swap") return PhraseOrder::kSwap;
    if (name == "distortion") return PhraseOrder::kDistortion;
    throw nb::value_error(("no phrase_order is called '" + name + "'").c_str());
  }

  /// Memories of events are lent to whoever translates.
  std::unique_ptr<features::EventMemory> borrow_memory() const {
    const std::lock_guard<std::mutex> guard(memories_lock_);
    if (memories_.empty()) return std::make_unique<features::EventMemory>();
    auto memory = std::move(memories_.back());
    memories_.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<features::EventMemory> memory) const {
    const std::lock_guard<std::mutex> guard(memories_lock_);
    memories_.push_back(std::move(memory));
  }

  std::unique_ptr<Translation> search_for(const Input& input) const {
    DecoderModel model{table_, language_model_, lm_words_};
    Source source(input.places, input.arcs);
    if (sparse_ == nullptr) return std::make_unique<Translation>(model, options_, *weights_, std::move(source));
    model.sparse = &sparse_->model;
    auto memory = borrow_memory();
    const features::SparseWeights sparse{sparse_weights_, version_, rule_memory_.get(), memory.get()};
    auto translation = std::make_unique<Translation>(model, options_, *weights_, std::move(source), input.words, &sparse);
    give_back(std::move(memory));
    return translation;
  }

  Candidates decode(const Input& input, std::size_t nbest, bool distinct, Searched::Sentence* keep) const {
    std::unique_ptr<Translation> searched = search_for(input);
    const Translation& translation = *searched;
    Candidates out;
    out.statistics = translation.statistics();
    KBest paths(translation.graph());
    std::unordered_set<std::uint64_t> seen;  // by what the words read
    Path path;
    std::vector<WordId> words;
    while (out.words.size() < nbest && paths.next(path)) {
      translation.words(path, words);
      if (distinct) {
        std::uint64_t key = words.size();
        for (WordId word : words) key = combine64(key, word >= kSourceWord ? printed_as(input, word - kSourceWord) : word);
        if (!seen.insert(key).second) continue;
      }
      out.words.push_back(words);
      out.scores.push_back(static_cast<double>(path.score));
      out.features.resize(out.features.size() + layout_.size());
      translation.features(path, layout_, {out.features.data() + out.features.size() - layout_.size(), layout_.size()});
      if (keep != nullptr) keep->paths.push_back(path);
    }
    if (keep != nullptr) keep->translation = std::move(searched);
    return out;
  }

  /// Equal for passed-through words that read the same, and that of the target word that reads so if there is one.
  WordId printed_as(const Input& input, std::size_t token) const {
    const std::string& text = input.words[token];
    const WordId known = target_words_.find(text);
    if (known != kNoWord) return known;
    return kSourceWord + static_cast<WordId>(std::find(input.words.begin(), input.words.end(), text) - input.words.begin());
  }

  void add(NbestBuilder& builder, std::int64_t number, const std::vector<std::string>& sentence,
           const Candidates& candidates) const {
    for (std::size_t i = 0; i < candidates.words.size(); ++i) {
      builder.begin(number);
      for (WordId word : candidates.words[i])
        add_word(builder, word >= kSourceWord ? std::string_view(sentence[word - kSourceWord])
                                              : target_words_.word(word));
      const double* row = candidates.features.data() + i * layout_.size();
      for (std::size_t k = 0; k < names_.size(); ++k) builder.add_dense(names_[k], {row + k, 1});
      builder.set_score(candidates.scores[i]);
      builder.end();
    }
  }

  /// An n-best list cannot carry its own field separator: bars are written as in tokenised text.
  static void add_word(NbestBuilder& builder, std::string_view word) {
    if (word.find("|||") == word.npos) return builder.add_token(word);
    std::string escaped;
    for (char c : word) c == '|' ? escaped.append("&#124;") : escaped.append(1, c);
    builder.add_token(escaped);
  }

  const RuleTable& table_;
  const Vocabulary& source_words_;
  const Vocabulary& target_words_;
  const MappedModel& language_model_;
  const BoundSparse* sparse_;
  FeatureLayout layout_;
  std::vector<std::string> names_;
  std::vector<WordId> lm_words_;
  DecoderOptions options_;
  std::unique_ptr<SearchWeights> weights_;
  features::WeightView sparse_weights_;
  std::uint32_t version_ = 0;
  mutable std::unique_ptr<features::RuleMemory> rule_memory_;
  mutable std::mutex memories_lock_;
  mutable std::vector<std::unique_ptr<features::EventMemory>> memories_;
};

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<Searched>(module, "Searched", "What searches kept; the decoder must outlive it.")
      .def(nb::init<>())
      .def("sparse", &Searched::sparse, "sentence"_a, "rows"_a,
           nb::sig("def sparse(self, sentence: int, rows: Sequence[int]) -> tuple[NDArray[numpy.int64], "
                   "NDArray[numpy.uint64], NDArray[numpy.float32]]"),
           "Sparse features of some candidates: where each begins, features by rising number, counts.")
      .def("names", &Searched::names, "sentence"_a, "rows"_a, "wanted"_a,
           nb::sig("def names(self, sentence: int, rows: Sequence[int], wanted: NDArray[numpy.uint64]) "
                   "-> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]"),
           "Those features of some candidates that are wanted, their names one after another, and where each ends.");
  nb::class_<Decoder>(module, "Decoder", "Translates with a rule table and a language model.")
      .def(nb::init<const BoundTable&, const Vocabulary&, const Vocabulary&, const MappedModel&,
                    std::vector<std::string>, const OptionsDict&, const BoundSparse*>(),
           nb::kw_only(), "table"_a, "source_words"_a, "target_words"_a, "language_model"_a, "column_names"_a,
           "options"_a, "sparse"_a.none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
           nb::keep_alive<1, 5>(), nb::keep_alive<1, 8>())
      .def("feature_names", &Decoder::names, "Names of the dense features, in order.")
      .def("set_weights", &Decoder::set_weights, "weights"_a, "sparse"_a.none() = nb::none(), nb::keep_alive<1, 3>(),
           "Use these weights from now on, one per dense feature, and those of sparse features as they are now.")
      .def("translate", &Decoder::translate, "sources"_a, nb::kw_only(), "nbest"_a = 1, "distinct"_a = true,
           "threads"_a = 1, "keep"_a.none() = nb::none(), nb::sig("def translate(self, sources: list[list[str] | tuple[int, list[tuple[int, int, str, float]]]], *, nbest: int = 1, "
                                    "distinct: bool = True, threads: int = 1, keep: Searched | None = None) -> dict[str, object]"),
           "The columns of an n-best list for sentences (lists of words) or lattices (places, arcs).");
}

}  // namespace isogloss::bindings
