#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/derivation.hpp"
#include "bindings/features.hpp"
#include "bindings/lm.hpp"
#include "bindings/nbest.hpp"
#include "bindings/neural.hpp"
#include "bindings/rule_table.hpp"
#include "bindings/search_result.hpp"
#include "search/decoder.hpp"
#include "search/nbest_list.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace search;

using OptionsDict = nb::typed<nb::dict, nb::str, nb::any>;

PhraseOrder phrase_order(const std::string& name) {
  if (name == "monotone") return PhraseOrder::kMonotone;
  if (name == "swap") return PhraseOrder::kSwap;
  if (name == "distortion") return PhraseOrder::kDistortion;
  throw nb::value_error(("no phrase_order is called '" + name + "'").c_str());
}

/// Takes every option under the name of its field; what is not given keeps the engine's default.
class OptionsReader {
 public:
  DecoderOptions read(const OptionsDict& options) {
    for (auto [key, value] : options) {
      const auto name = nb::cast<std::string>(key);
      try {
        if (!read_option(name, value)) throw nb::value_error(("no option is called '" + name + "'").c_str());
      } catch (const nb::cast_error&) {
        throw nb::value_error(("the option '" + name + "' has a value of the wrong type").c_str());
      }
    }
    if (unknown_ != "pass" && unknown_ != "drop" && unknown_ != "mark")
      throw nb::value_error(("unknown words cannot be treated as '" + unknown_ + "'").c_str());
    search_.collector.drop_unknown = unknown_ == "drop";
    return {search_, unknown_ == "mark" ? unknown_mark_ : "", with_offers_};
  }

 private:
  bool read_option(const std::string& name, nb::handle value) {
    const std::pair<std::string_view, unsigned*> numbers[] = {
        {"max_span", &search_.collector.max_span},
        {"max_options", &search_.collector.max_options},
        {"max_scanned", &search_.collector.max_scanned},
        {"distortion_limit", &search_.matches.distortion_limit},
        {"beam_size", &search_.beam.beam_size},
        {"pop_limit", &search_.beam.pop_limit}};
    const std::pair<std::string_view, bool*> flags[] = {
        {"hierarchical", &search_.matches.hierarchical},
        {"gap_rules", &search_.matches.gap_rules},
        {"reordering_glue", &search_.matches.reordering_glue},
        {"diversity", &search_.beam.diversity},
        {"offers", &with_offers_}};
    const std::pair<std::string_view, std::string*> texts[] = {{"unknown", &unknown_},
                                                               {"unknown_mark", &unknown_mark_}};
    const std::pair<std::string_view, float*> fractions[] = {
        {"threshold", &search_.beam.threshold}, {"lexical_threshold", &search_.collector.lexical_threshold}};
    for (auto [known, into] : numbers)
      if (name == known) return *into = nb::cast<unsigned>(value), true;
    for (auto [known, into] : flags)
      if (name == known) return *into = nb::cast<bool>(value), true;
    for (auto [known, into] : texts)
      if (name == known) return *into = nb::cast<std::string>(value), true;
    for (auto [known, into] : fractions)
      if (name == known) return *into = nb::cast<float>(value), true;
    if (name == "orientation") return search_.blocks_grow = nb::cast<std::string>(value) == "hier", true;
    if (name == "phrase_order") return search_.beam.phrase_order = phrase_order(nb::cast<std::string>(value)), true;
    return false;
  }

  SearchOptions search_;
  bool with_offers_ = false;
  std::string unknown_ = "pass", unknown_mark_ = "<unk:{word}>";
};

void make_decoder(Decoder* self, const BoundTable& table, const Vocabulary& source_words,
                  const Vocabulary& target_words, const MappedModel& language_model,
                  std::vector<std::string> column_names, const OptionsDict& options, const BoundSparse* sparse,
                  const BoundTable* overlay, const BoundLexicon* lexicon, const BoundJointModel* joint) {
  const DecoderModels models{table.table,
                             std::move(column_names),
                             source_words,
                             target_words,
                             language_model,
                             overlay == nullptr ? nullptr : &overlay->table,
                             lexicon == nullptr ? nullptr : &lexicon->lexicon,
                             sparse == nullptr ? nullptr : &sparse->model,
                             joint == nullptr ? nullptr : &joint->model};
  new (self) Decoder(models, OptionsReader().read(options));
}

/// Weights that Python keeps alive for as long as anybody uses them.
std::shared_ptr<const features::WeightSource> shared(nb::object weights) {
  if (weights.is_none()) return nullptr;
  const auto* source = nb::cast<const features::WeightSource*>(weights);
  return {source, [owner = std::move(weights)](const void*) mutable {
            const nb::gil_scoped_acquire lock;  // the last to use them may be a search
            owner.reset();
          }};
}

/// What else a word may be, as (words, translation, kind, score).
std::vector<Offer> read_offers(nb::handle offers) {
  std::vector<Offer> out;
  for (nb::handle offer : nb::cast<nb::list>(offers)) {
    auto [words, translation, kind, score] =
        nb::cast<std::tuple<std::vector<std::string>, std::vector<std::string>, unsigned, float>>(offer);
    if (kind == 0 || kind >= kArcKinds) throw nb::value_error("no such kind of offer");
    out.push_back({std::move(words), std::move(translation), static_cast<ArcKind>(kind), score});
  }
  return out;
}

/// A sentence is a list of units, a lattice a tuple of its number of places and its arcs. A unit is a word, (words,
/// their given translation) or (a word, what else it may be).
Input read_input(nb::handle source, const InputMaker& maker) {
  if (nb::isinstance<nb::tuple>(source)) {
    const auto [places, arcs] = nb::cast<std::tuple<std::size_t, nb::iterable>>(source);
    Input lattice = maker.lattice(places);
    for (nb::handle arc : arcs) {
      const auto [begin, end, word, score] =
          nb::cast<std::tuple<std::size_t, std::size_t, std::string, float>>(arc);
      maker.add_arc(lattice, begin, end, word, score);
    }
    return lattice;
  }
  Input sentence;
  for (nb::handle unit : nb::cast<nb::list>(source)) {
    if (nb::isinstance<nb::str>(unit)) {
      maker.add_word(sentence, nb::cast<std::string>(unit));
    } else if (nb::isinstance<nb::str>(unit[0])) {
      maker.add_offered(sentence, nb::cast<std::string>(unit[0]), read_offers(unit[1]));
    } else {
      const auto [words, translation] =
          nb::cast<std::tuple<std::vector<std::string>, std::vector<std::string>>>(unit);
      maker.add_fixed(sentence, words, translation);
    }
  }
  return sentence;
}

/// Per candidate a list of steps.
nb::list derivations_of(const std::vector<TranslatedSentence>& sentences, const Wording& wording) {
  nb::list out;
  for (const TranslatedSentence& sentence : sentences)
    for (const std::vector<DerivationStep>& derivation : sentence.derivations) {
      nb::list steps;
      for (const DerivationStep& step : derivation) steps.append(to_tuple(step, sentence.kept.input, wording));
      out.append(steps);
    }
  return out;
}

nb::dict translate(const Decoder& decoder, nb::list sources, std::size_t nbest, bool distinct, std::size_t threads,
                   SearchResult* keep, bool derivations, std::vector<double> time_limits,
                   const BatchConstraint* constraint, bool fallback) {
  std::vector<Input> inputs;
  for (nb::handle source : sources) inputs.push_back(read_input(source, decoder.input_maker()));
  const BatchRequest request{nbest, distinct, derivations, fallback, keep != nullptr,
                             threads, std::move(time_limits), constraint};
  std::vector<TranslatedSentence> sentences;
  NbestColumns columns;
  BeamStatistics statistics;
  {
    const nb::gil_scoped_release release;
    sentences = decoder.translate(std::move(inputs), request);
    columns = nbest_list(decoder, sentences);
    for (const TranslatedSentence& sentence : sentences) statistics += sentence.statistics;
  }
  nb::dict out = to_dict(std::move(columns));
  out["hypotheses"] = statistics.hypotheses;
  out["recombined"] = statistics.recombined;
  if (derivations) out["derivations"] = derivations_of(sentences, decoder.wording());
  if (keep != nullptr) keep->take(std::move(sentences), decoder.wording());
  return out;
}

}  // namespace

void bind_search(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ScoreError& error) {
      PyErr_SetString(PyExc_FloatingPointError, error.what());
    }
  });
  nb::class_<Decoder>(module, "Decoder", "Translates with a rule table and a language model.")
      .def("__init__", &make_decoder, nb::kw_only(), "table"_a, "source_words"_a, "target_words"_a,
           "language_model"_a, "column_names"_a, "options"_a, "sparse"_a.none() = nb::none(),
           "overlay"_a.none() = nb::none(), "lexicon"_a.none() = nb::none(),
           "joint"_a.none() = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 8>(),
           nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>(), nb::keep_alive<1, 11>())
      .def("feature_names", &Decoder::feature_names, "Names of the dense features, in order.")
      .def("set_weights",
           [](Decoder& self, const std::vector<double>& weights, nb::object sparse) {
             self.set_weights(weights, shared(std::move(sparse)));
           },
           "weights"_a, "sparse"_a.none() = nb::none(),
           nb::sig("def set_weights(self, weights: Sequence[float], sparse: SparseWeights | None = None) -> None"),
           "Use these weights from now on, one per dense feature, and those of sparse features. Calls that have begun "
           "keep theirs.")
      .def("forget", &Decoder::forget, "Forget what is remembered of rules, after their scores were changed in place.")
      .def("translate", &translate, "sources"_a, nb::kw_only(), "nbest"_a = 1, "distinct"_a = true, "threads"_a = 1,
           "keep"_a.none() = nb::none(), "derivations"_a = false, "time_limits"_a = std::vector<double>(),
           "constraint"_a.none() = nb::none(), "fallback"_a = false, nb::keep_alive<6, 1>(),
           nb::sig("def translate(self, sources: list[list[str | tuple[list[str], list[str]] | tuple[str, "
                   "list[tuple[list[str], list[str], int, float]]]] | tuple[int, "
                   "list[tuple[int, int, str, float]]]], *, nbest: int = 1, distinct: bool = True, threads: int = 1, "
                   "keep: SearchResult | None = None, derivations: bool = False, time_limits: list[float] = [], "
                   "constraint: Constraint | None = None, fallback: bool = False) -> dict[str, object]"),
           "The columns of an n-best list for sentences (lists of words, or of words and their given translation) or "
           "lattices (places, arcs). Where the limits leave no translation, `fallback` gives one from left to right.");
}

}  // namespace isogloss::bindings
