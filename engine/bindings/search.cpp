#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel.hpp"
#include "bindings/arrays.hpp"
#include "bindings/aim.hpp"
#include "bindings/features.hpp"
#include "bindings/lm.hpp"
#include "bindings/nbest.hpp"
#include "bindings/rule_table.hpp"
#include "bindings/searched.hpp"
#include "bindings/wording.hpp"
#include "nbest/builder.hpp"
#include "search/decoder.hpp"
#include "search/derivation.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace search;
using nbest::NbestBuilder;

using OptionsDict = nb::typed<nb::dict, nb::str, nb::any>;

/// A model, its limits and weights; sentences go in as words and come out as an n-best list.
class Decoder {
 public:
  static constexpr std::size_t kMostFixedWords = 1000;

  Decoder(const BoundTable& table, const Vocabulary& source_words, const Vocabulary& target_words,
          const MappedModel& language_model, std::vector<std::string> column_names, const OptionsDict& options,
          const BoundSparse* sparse, const BoundTable* overlay, const BoundLexicon* lexicon)
      : table_(table.table), overlay_(overlay == nullptr ? nullptr : &overlay->table),
        lexicon_(lexicon == nullptr ? nullptr : &lexicon->lexicon), source_words_(source_words), target_words_(target_words), wording_(source_words, target_words), language_model_(language_model),
        sparse_(sparse), layout_(table.table.columns()) {
    if (column_names.size() != layout_.table_columns())
      throw nb::value_error("one name for each column of the rule table is expected");
    if (overlay_ != nullptr && overlay_->columns() != table_.columns())
      throw nb::value_error("an overlay needs the columns of the rule table");
    if (sparse_ != nullptr && !sparse_->model.lexicon.fits(source_words, target_words))
      throw nb::value_error("sparse features need the words of the rule table, or of its overlay");
    names_.push_back("lm");
    for (std::string& name : column_names) names_.push_back(std::move(name));
    for (std::string& name : FeatureLayout::counted_names()) names_.push_back(std::move(name));
    for (WordId word = 0; word < target_words.size(); ++word)
      lm_words_.push_back(language_model.find(target_words.word(word)));
    read(options);
    if (sparse_ != nullptr)
      rule_memory_ = std::make_unique<features::RuleMemory>(
          table_.rule_count() + (overlay_ == nullptr ? std::size_t{0} : overlay_->rule_count()));
    set_weights(std::vector<double>(layout_.size(), 0.0), nb::none());
  }

  const std::vector<std::string>& names() const { return names_; }

  /// Sparse weights that changed must be set again.
  void set_weights(const std::vector<double>& weights, nb::object sparse) {
    const BoundWeights* bound = sparse.is_none() ? nullptr : nb::cast<const BoundWeights*>(sparse);
    if (bound != nullptr && sparse_ == nullptr) throw nb::value_error("this search has no sparse features");
    weights_ = std::make_unique<SearchWeights>(layout_, weights);
    sparse_weights_ = bound;
    sparse_owner_ = std::move(sparse);
    ++version_;
  }

  /// Translates sentences or lattices; the n-best list has their numbers from 0. What was searched is put into
  /// `keep`, if given; `time_limits` has seconds for each of them or is empty. With an `aim` translations are found
  /// that it wants; where BLEU is wanted, their scores are BLEU.
  nb::dict translate(nb::list sources, std::size_t nbest, bool distinct, std::size_t threads, Searched* keep,
                     bool derivations, const std::vector<double>& time_limits, const BoundAim* aim) const {
    std::vector<SearchInput> inputs;
    for (nb::handle source : sources) inputs.push_back(read_input(source));
    if (!time_limits.empty() && time_limits.size() != inputs.size())
      throw nb::value_error("one time limit for each source is expected");
    if (aim != nullptr && aim->references.size() != inputs.size())
      throw nb::value_error("references for each source are expected");
    const Wanted wanted{nbest, distinct, derivations, aim};
    NbestBuilder builder;
    BeamStatistics total;
    bool finite = true;
    std::vector<Candidates> found(inputs.size());
    {
      const nb::gil_scoped_release release;
      if (keep != nullptr) keep->sentences.resize(inputs.size());
      parallel_for(inputs.size(), threads, [&](std::size_t i, std::size_t) {
        found[i] = decode(inputs[i], i, wanted, deadline(time_limits.empty() ? HUGE_VAL : time_limits[i]),
                          keep == nullptr ? nullptr : &keep->sentences[i]);
      });
      for (std::size_t i = 0; i < found.size(); ++i) {
        total.hypotheses += found[i].statistics.hypotheses;
        total.recombined += found[i].statistics.recombined;
        total.pruned += found[i].statistics.pruned;
        finite = finite && std::ranges::all_of(found[i].scores, [](double score) { return std::isfinite(score); });
        if (finite) add(builder, static_cast<std::int64_t>(i), inputs[i], found[i]);
      }
    }
    if (!finite) {
      PyErr_SetString(PyExc_FloatingPointError, "the score of a translation is not a finite number");
      throw nb::python_error();
    }
    nb::dict out = to_dict(builder.finish());
    out["hypotheses"] = total.hypotheses;
    out["recombined"] = total.recombined;
    if (derivations) out["derivations"] = derivations_of(inputs, found);
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Wanted {
    std::size_t nbest;
    bool distinct, derivations;
    const BoundAim* aim;
  };
  struct Candidates {
    std::vector<std::vector<WordId>> words;
    std::vector<double> features, scores;
    std::vector<std::vector<DerivationStep>> derivations;
    BeamStatistics statistics;
  };

  static Clock::time_point deadline(double seconds) {
    if (!(seconds < 1e9)) return Clock::time_point::max();
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  /// A sentence is a list of units, a lattice a tuple of its number of places and its arcs. A unit is a word or
  /// (words, their given translation).
  SearchInput read_input(nb::handle source) const {
    SearchInput input;
    if (!nb::isinstance<nb::tuple>(source)) {
      for (nb::handle unit : nb::cast<nb::list>(source)) add_unit(input, unit);
      return input;
    }
    const auto lattice = nb::borrow<nb::tuple>(source);
    input.places = nb::cast<std::size_t>(lattice[0]);
    if (input.places > Source::kMostPlaces) throw nb::value_error("a lattice is too long");
    for (std::size_t place = 1; place < input.places; ++place) input.first_word.push_back(place);
    for (nb::handle arc : nb::borrow<nb::iterable>(lattice[1])) {
      const auto [begin, end, word, score] =
          nb::cast<std::tuple<std::size_t, std::size_t, std::string, float>>(arc);
      add_arc(input, begin, end, word, score);
    }
    return input;
  }

  void add_unit(SearchInput& input, nb::handle unit) const {
    const std::size_t place = input.places - 1;
    if (nb::isinstance<nb::str>(unit)) {
      add_arc(input, place, place + 1, nb::cast<std::string>(unit), 0.0f);
    } else {
      const auto [words, translation] =
          nb::cast<std::tuple<std::vector<std::string>, std::vector<std::string>>>(unit);
      add_fixed_arc(input, place, words, translation);
    }
    input.first_word.push_back(input.words.size());
    ++input.places;
  }

  void add_arc(SearchInput& input, std::size_t begin, std::size_t end, const std::string& text, float score) const {
    if (end >= Source::kMostPlaces) throw nb::value_error("a sentence or lattice is too long");
    if (begin >= end) throw nb::value_error("an arc of a lattice must lead forward");
    input.arcs.push_back({static_cast<Place>(begin), static_cast<Place>(end), source_words_.find(text),
                          language_model_.find(text), static_cast<std::uint32_t>(input.words.size()), score});
    input.words.push_back(text);
  }

  void add_fixed_arc(SearchInput& input, std::size_t place, const std::vector<std::string>& words,
                     const std::vector<std::string>& translation) const {
    if (place + 1 >= Source::kMostPlaces) throw nb::value_error("a sentence is too long");
    if (translation.size() > kMostFixedWords) throw nb::value_error("a given translation is too long");
    SourceArc arc{static_cast<Place>(place), static_cast<Place>(place + 1), kNoWord, kNoWord,
                  static_cast<std::uint32_t>(input.words.size()), 0.0f, static_cast<std::uint32_t>(words.size()), true};
    input.words.insert(input.words.end(), words.begin(), words.end());
    arc.fixed_begin = static_cast<std::uint32_t>(input.fixed.size());
    for (const std::string& text : translation)
      input.fixed.push_back({target_words_.find(text), language_model_.find(text), text});
    arc.fixed_end = static_cast<std::uint32_t>(input.fixed.size());
    input.arcs.push_back(arc);
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
    if (unknown_ != "pass" && unknown_ != "drop" && unknown_ != "mark")
      throw nb::value_error(("unknown words cannot be treated as '" + unknown_ + "'").c_str());
    options_.collector.drop_unknown = unknown_ == "drop";
    if (unknown_ == "mark") wording_.mark_unknown(unknown_mark_);
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
    const std::pair<std::string_view, std::string*> texts[] = {{"unknown", &unknown_},
                                                               {"unknown_mark", &unknown_mark_}};
    for (auto [known, into] : numbers)
      if (name == known) return *into = nb::cast<unsigned>(value), true;
    for (auto [known, into] : flags)
      if (name == known) return *into = nb::cast<bool>(value), true;
    for (auto [known, into] : texts)
      if (name == known) return *into = nb::cast<std::string>(value), true;
    const std::pair<std::string_view, float*> fractions[] = {
        {"threshold", &options_.beam.threshold}, {"lexical_threshold", &options_.collector.lexical_threshold}};
    for (auto [known, into] : fractions)
      if (name == known) return *into = nb::cast<float>(value), true;
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

  std::unique_ptr<Translation> search_for(const SearchInput& input, Clock::time_point deadline, Aim* aim) const {
    DecoderModel model{table_, language_model_, lm_words_};
    model.overlay = overlay_;
    model.lexicon = lexicon_;
    DecoderOptions options = options_;
    options.beam.deadline = deadline;
    Source source(input.places, input.arcs, input.fixed);
    if (sparse_ == nullptr)
      return std::make_unique<Translation>(model, options, *weights_, std::move(source), input.words, nullptr, aim);
    model.sparse = &sparse_->model;
    auto memory = borrow_memory();
    // Looked up every time: a table of weights that are being learned moves when it grows.
    const features::WeightView weights = sparse_weights_ == nullptr ? features::WeightView() : sparse_weights_->view();
    const features::SparseWeights sparse{weights, version_, rule_memory_.get(), memory.get()};
    auto translation =
        std::make_unique<Translation>(model, options, *weights_, std::move(source), input.words, &sparse, aim);
    give_back(std::move(memory));
    return translation;
  }

  Candidates decode(const SearchInput& input, std::size_t number, const Wanted& wanted, Clock::time_point deadline,
                    Searched::Sentence* keep) const {
    std::unique_ptr<ForcedAim> forced;
    std::unique_ptr<OracleAim> oracle;
    if (wanted.aim != nullptr) {
      References references = wanted.aim->number(number, input, wording_, target_words_);
      if (wanted.aim->forced) {
        forced = std::make_unique<ForcedAim>(std::move(references));
      } else {
        oracle = std::make_unique<OracleAim>(std::move(references), wanted.aim->bleu);
      }
    }
    Aim* const aim = forced ? static_cast<Aim*>(forced.get()) : oracle.get();
    std::unique_ptr<Translation> searched = search_for(input, deadline, aim);
    const Translation& translation = *searched;
    Candidates out;
    out.statistics = translation.statistics();
    std::vector<Path> paths = best_paths(translation, input, wanted, deadline);
    if (oracle) rank_by_bleu(translation, *oracle, paths);
    for (const Path& path : paths) {
      translation.words(path, out.words.emplace_back());
      out.scores.push_back(oracle ? bleu_of(translation, *oracle, path) : static_cast<double>(path.score));
      out.features.resize(out.features.size() + layout_.size());
      translation.features(path, layout_, {out.features.data() + out.features.size() - layout_.size(), layout_.size()});
      if (wanted.derivations) out.derivations.push_back(derivation_of(translation, path, {table_, overlay_}));
    }
    if (keep != nullptr) *keep = {std::move(searched), std::move(paths), input, &wording_};
    return out;
  }

  std::vector<Path> best_paths(const Translation& translation, const SearchInput& input, const Wanted& wanted,
                               Clock::time_point deadline) const {
    std::vector<Path> paths;
    const auto take_from = [&](auto&& best) {
      Path path;
      while (paths.size() < wanted.nbest && best.next(path)) {
        paths.push_back(path);
        if (deadline != Clock::time_point::max() && Clock::now() >= deadline) break;
      }
    };
    if (wanted.nbest == 1 || !wanted.distinct) {
      take_from(KBest(translation.graph()));
    } else {
      take_from(DistinctKBest(translation.graph(), [&](std::uint64_t prefix, std::uint32_t option) {
        for (WordId word : translation.options().target(translation.options().options[option]))
          prefix = combine64(prefix, wording_.reading(input, word));
        return prefix;
      }));
    }
    return paths;
  }

  static double bleu_of(const Translation& translation, const OracleAim& oracle, const Path& path) {
    std::vector<WordId> words;
    translation.words(path, words);
    for (WordId& word : words) word = oracle.number(word);
    return oracle.bleu(words);
  }

  /// The search adds up in single precision; where that decided the order, it is put right.
  static void rank_by_bleu(const Translation& translation, const OracleAim& oracle, std::vector<Path>& paths) {
    std::stable_sort(paths.begin(), paths.end(), [&](const Path& a, const Path& b) {
      return bleu_of(translation, oracle, a) > bleu_of(translation, oracle, b);
    });
  }

  void add(NbestBuilder& builder, std::int64_t number, const SearchInput& input, const Candidates& candidates) const {
    for (std::size_t i = 0; i < candidates.words.size(); ++i) {
      builder.begin(number);
      for (WordId word : candidates.words[i]) add_word(builder, wording_.text(input, word));
      const double* row = candidates.features.data() + i * layout_.size();
      for (std::size_t k = 0; k < names_.size(); ++k) builder.add_dense(names_[k], {row + k, 1});
      builder.set_score(candidates.scores[i]);
      if (!candidates.derivations.empty())
        for (const DerivationStep& step : candidates.derivations[i]) add_links(builder, input, step);
      builder.end();
    }
  }

  static void add_links(NbestBuilder& builder, const SearchInput& input, const DerivationStep& step) {
    for (const auto& [place, target] : step.links) builder.add_aligned_pair(input.first_word[place], target);
    if (is_from_table(step.rule)) return;
    // Words that were given a translation together: one by one if there are as many, otherwise all to all.
    const std::size_t begin = input.first_word[step.own.begin];
    const std::size_t width = step.rule == kFixed ? input.first_word[step.own.end] - begin : 1;
    const bool one_by_one = width == step.target_end - step.target_begin;
    for (std::uint32_t target = step.target_begin; target < step.target_end; ++target)
      for (std::size_t i = 0; i < width; ++i)
        if (!one_by_one || i == target - step.target_begin) builder.add_aligned_pair(begin + i, target);
  }

  /// Per candidate a list of steps.
  nb::list derivations_of(const std::vector<SearchInput>& inputs, const std::vector<Candidates>& found) const {
    nb::list out;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const std::vector<DerivationStep>& derivation : found[i].derivations) {
        nb::list steps;
        for (const DerivationStep& step : derivation) steps.append(wording_.step(inputs[i], step));
        out.append(steps);
      }
    return out;
  }

  /// An n-best list cannot carry its own field separator: bars are written as in tokenised text.
  static void add_word(NbestBuilder& builder, std::string_view word) {
    if (word.find("|||") == word.npos) return builder.add_token(word);
    std::string escaped;
    for (char c : word) c == '|' ? escaped.append("&#124;") : escaped.append(1, c);
    builder.add_token(escaped);
  }

  const RuleTable& table_;
  const RuleTable* overlay_;
  const LexiconView* lexicon_;
  const Vocabulary& source_words_;
  const Vocabulary& target_words_;
  Wording wording_;
  const MappedModel& language_model_;
  const BoundSparse* sparse_;
  FeatureLayout layout_;
  std::vector<std::string> names_;
  std::vector<WordId> lm_words_;
  DecoderOptions options_;
  std::string unknown_ = "pass", unknown_mark_ = "<unk:{word}>";
  std::unique_ptr<SearchWeights> weights_;
  const BoundWeights* sparse_weights_ = nullptr;
  nb::object sparse_owner_;
  std::uint32_t version_ = 0;
  mutable std::unique_ptr<features::RuleMemory> rule_memory_;
  mutable std::mutex memories_lock_;
  mutable std::vector<std::unique_ptr<features::EventMemory>> memories_;
};

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<Decoder>(module, "Decoder", "Translates with a rule table and a language model.")
      .def(nb::init<const BoundTable&, const Vocabulary&, const Vocabulary&, const MappedModel&,
                    std::vector<std::string>, const OptionsDict&, const BoundSparse*, const BoundTable*,
                    const BoundLexicon*>(),
           nb::kw_only(), "table"_a, "source_words"_a, "target_words"_a, "language_model"_a, "column_names"_a,
           "options"_a, "sparse"_a.none() = nb::none(), "overlay"_a.none() = nb::none(),
           "lexicon"_a.none() = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 8>(),
           nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
      .def("feature_names", &Decoder::names, "Names of the dense features, in order.")
      .def("set_weights", &Decoder::set_weights, "weights"_a, "sparse"_a.none() = nb::none(),
           nb::sig("def set_weights(self, weights: Sequence[float], sparse: SparseWeights | None = None) -> None"),
           "Use these weights from now on, one per dense feature, and those of sparse features as they are now.")
      .def("translate", &Decoder::translate, "sources"_a, nb::kw_only(), "nbest"_a = 1, "distinct"_a = true,
           "threads"_a = 1, "keep"_a.none() = nb::none(), "derivations"_a = false,
           "time_limits"_a = std::vector<double>(), "aim"_a.none() = nb::none(), nb::keep_alive<6, 1>(),
           nb::sig("def translate(self, sources: list[list[str | tuple[list[str], list[str]]] | tuple[int, "
                   "list[tuple[int, int, str, float]]]], *, nbest: int = 1, distinct: bool = True, threads: int = 1, "
                   "keep: Searched | None = None, derivations: bool = False, time_limits: list[float] = [], "
                   "aim: Aim | None = None) -> dict[str, object]"),
           "The columns of an n-best list for sentences (lists of words, or of words and their given translation) or "
           "lattices (places, arcs).");
}

}  // namespace isogloss::bindings
