#include "bindings/search_result.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "bindings/derivation.hpp"
#include "search/posteriors.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace search;

void check_templates(const KeptSearch& sentence, const std::vector<std::size_t>& templates) {
  for (std::size_t one : templates)
    if (one >= sentence.sparse().model().templates.size()) throw nb::index_error("no such template");
}

/// Notes under what name a feature was met whose number another has.
void note_collision(const KeptSearch& sentence, std::int64_t row, std::uint64_t feature, std::uint32_t check,
                    LearnedWeights& learned) {
  for (const auto& [known, name] : learned.collisions)
    if (known == feature) return;
  std::string found;
  features::SparseScorer::Seen seen;
  sentence.sparse().for_each_named(sentence.sparse_steps(row), seen,
                                   [&](std::uint64_t other, std::uint32_t other_check, auto&& name) {
                                     if (found.empty() && other == feature && other_check == check) found = name();
                                   });
  learned.collisions.emplace_back(feature, std::move(found));
}

/// Rows of features in the making.
struct FiringRows {
  std::vector<features::Firing> firings;  // of the next row
  Buffer<std::int64_t> offsets;
  Buffer<std::uint64_t> features;
  Buffer<float> counts;

  FiringRows() { offsets.push_back(0); }
  void take() {
    for (const features::Firing& firing : firings) {
      features.push_back(firing.feature);
      counts.push_back(firing.count);
    }
    offsets.push_back(static_cast<std::int64_t>(features.size()));
  }
  nb::tuple to_tuple() {
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(features)), to_numpy(std::move(counts)));
  }
};

/// Names of features, each made once, if it is wanted.
class WantedNames {
 public:
  /// In `learned`, if given, features stand for the names they get here from now on.
  explicit WantedNames(const ArrayIn<std::uint64_t>& wanted, LearnedWeights* learned = nullptr)
      : missing_(wanted.data(), wanted.data() + wanted.size()), learned_(learned) {}

  features::SparseScorer::Seen seen;  // events whose features have been asked for

  auto visitor() {
    return [this](std::uint64_t feature, std::uint32_t check, auto&& make) {
      if (missing_.erase(feature) == 0) return;
      if (learned_ != nullptr) learned_->learned.table().meet(feature, check);
      const std::string name = make();
      features_.push_back(feature);
      names_.append(reinterpret_cast<const std::uint8_t*>(name.data()), name.size());
      ends_.push_back(names_.size());
    };
  }
  nb::tuple to_tuple() {
    return nb::make_tuple(to_numpy(std::move(features_)), to_numpy(std::move(names_)), to_numpy(std::move(ends_)));
  }

 private:
  std::unordered_set<std::uint64_t> missing_;
  LearnedWeights* learned_;
  Buffer<std::uint64_t> features_, ends_;
  Buffer<std::uint8_t> names_;
};

}  // namespace

KeptSearch& SearchResult::at(std::size_t number) {
  if (number >= sentences_.size() || !sentences_[number].search) throw nb::index_error("no such sentence");
  return sentences_[number];
}

void SearchResult::take(std::vector<TranslatedSentence>&& sentences, const Wording& wording) {
  sentences_.clear();
  for (TranslatedSentence& sentence : sentences) sentences_.push_back(std::move(sentence.kept));
  wording_ = &wording;
}

nb::tuple SearchResult::sparse(std::size_t number, const std::vector<std::int64_t>& rows) {
  return sparse_of(std::vector<std::size_t>(rows.size(), number), rows);
}

nb::tuple SearchResult::events(std::size_t number, const std::vector<std::int64_t>& rows, features::EventPool& pool,
                               LearnedWeights& learned) {
  const KeptSearch& sentence = at(number);
  Buffer<std::int64_t> offsets;
  Buffer<std::uint64_t> events;
  Buffer<float> counts;
  offsets.push_back(0);
  std::vector<features::EventCount> found;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> doubtful;
  for (std::int64_t row : rows) {
    sentence.sparse().events(
        sentence.sparse_steps(row), pool, found,
        [&](std::span<const std::uint64_t> features, std::span<const std::uint32_t> checks) {
          for (std::size_t i = 0; i < features.size(); ++i)
            if (!learned.learned.table().meet(features[i], checks[i])) doubtful.emplace_back(features[i], checks[i]);
        });
    for (const features::EventCount& one : found) {
      events.push_back(one.event);
      counts.push_back(one.count);
    }
    offsets.push_back(static_cast<std::int64_t>(events.size()));
    for (const auto& [feature, check] : doubtful) note_collision(sentence, row, feature, check, learned);
    doubtful.clear();
  }
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(events)), to_numpy(std::move(counts)));
}

nb::tuple SearchResult::sparse_of(const std::vector<std::size_t>& numbers, const std::vector<std::int64_t>& rows) {
  if (numbers.size() != rows.size()) throw nb::value_error("a sentence for each row is expected");
  FiringRows out;
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KeptSearch& sentence = at(numbers[i]);
      sentence.sparse().features(sentence.sparse_steps(rows[i]), out.firings);
      out.take();
    }
  }
  return out.to_tuple();
}

nb::tuple SearchResult::names_of(const std::vector<std::size_t>& numbers, const std::vector<std::int64_t>& rows,
                                 ArrayIn<std::uint64_t> wanted) {
  if (numbers.size() != rows.size()) throw nb::value_error("a sentence for each row is expected");
  WantedNames out(wanted);
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KeptSearch& sentence = at(numbers[i]);
      sentence.sparse().for_each_named(sentence.sparse_steps(rows[i]), out.seen, out.visitor());
    }
  }
  return out.to_tuple();
}

nb::tuple SearchResult::bags(const std::vector<std::size_t>& templates) {
  FiringRows out;
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      const KeptSearch& sentence = at(i);
      check_templates(sentence, templates);
      sentence.sparse().rule_features(sentence.most_probable_options(), templates, out.firings);
      out.take();
    }
  }
  return out.to_tuple();
}

nb::tuple SearchResult::bag_names(const std::vector<std::size_t>& templates, ArrayIn<std::uint64_t> wanted) {
  WantedNames out(wanted);
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < sentences_.size(); ++i) {
      const KeptSearch& sentence = at(i);
      check_templates(sentence, templates);
      sentence.sparse().for_each_rule_named(sentence.most_probable_options(), templates, out.seen, out.visitor());
    }
  }
  return out.to_tuple();
}

nb::dict SearchResult::names(std::size_t number, const std::vector<std::int64_t>& rows,
                             ArrayIn<std::uint64_t> wanted) {
  const KeptSearch& sentence = at(number);
  std::unordered_set<std::uint64_t> missing(wanted.data(), wanted.data() + wanted.size());
  features::SparseScorer::Seen seen;
  nb::dict out;
  for (std::int64_t row : rows) {
    if (missing.empty()) break;
    sentence.sparse().for_each_named(sentence.sparse_steps(row), seen,
                                     [&](std::uint64_t feature, std::uint32_t, auto&& name) {
                                       if (missing.erase(feature) > 0) out[nb::int_(feature)] = name();
                                     });
  }
  return out;
}

nb::tuple SearchResult::name_arrays(std::size_t number, const std::vector<std::int64_t>& rows,
                                    ArrayIn<std::uint64_t> wanted, LearnedWeights* learned) {
  const KeptSearch& sentence = at(number);
  WantedNames out(wanted, learned);
  for (std::int64_t row : rows)
    sentence.sparse().for_each_named(sentence.sparse_steps(row), out.seen, out.visitor());
  return out.to_tuple();
}

nb::list SearchResult::rule_posteriors(std::size_t number, double scale) {
  const KeptSearch& sentence = at(number);
  const SentenceSearch& search = *sentence.search;
  std::vector<StepPosterior> found;
  std::vector<DerivationStep> made;
  {
    const nb::gil_scoped_release release;
    found = step_posteriors(search.graph(), sum_paths(search.graph(), scale));
    for (const StepPosterior& posterior : found)
      made.push_back(derivation_of(search, {0.0f, {posterior.arc}}).front());
  }
  nb::list out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Option& option = search.options().options[search.graph().arcs[found[i].arc].option];
    nb::list words;
    for (WordId word : search.options().target(option)) words.append(nb::cast(wording_->text(sentence.input, word)));
    out.append(nb::make_tuple(bindings::to_tuple(made[i], sentence.input, *wording_), words, found[i].probability));
  }
  return out;
}

nb::dict SearchResult::ngram_posteriors(std::size_t number, double scale, std::size_t order) {
  const KeptSearch& sentence = at(number);
  const SentenceSearch& search = *sentence.search;
  std::vector<std::string> texts;
  NgramPosteriors found;
  {
    const nb::gil_scoped_release release;
    const auto numbers = wording_->numbers(sentence.input, search.options().words, &texts);
    found = isogloss::search::ngram_posteriors(search.graph(), sum_paths(search.graph(), scale), search.options(), numbers,
                                     order);
  }
  nb::dict out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < found.ends.size(); begin = found.ends[i++]) {
    nb::list ngram;
    for (std::size_t k = begin; k < found.ends[i]; ++k) ngram.append(nb::cast(texts[found.words[k]]));
    out[nb::tuple(ngram)] = found.expected[i];
  }
  return out;
}

double SearchResult::log_total(std::size_t number, double scale) {
  return sum_paths(at(number).search->graph(), scale).total;
}

void bind_search_result(nb::module_& module) {
  nb::class_<SearchResult>(module, "SearchResult", "Searches kept for later queries; they keep the decoder alive.")
      .def(nb::init<>())
      .def("sparse", &SearchResult::sparse, "sentence"_a, "rows"_a,
           nb::sig("def sparse(self, sentence: int, rows: Sequence[int]) -> tuple[NDArray[numpy.int64], "
                   "NDArray[numpy.uint64], NDArray[numpy.float32]]"),
           "Sparse features of some candidates: where each begins, features by rising number, counts.")
      .def("events", &SearchResult::events, "sentence"_a, "rows"_a, "pool"_a, "learned"_a,
           nb::sig("def events(self, sentence: int, rows: Sequence[int], pool: EventPool, learned: LearnedWeights) "
                   "-> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]"),
           "The same by events, which have numbers in `pool`, where new ones are added. Features of new events that "
           "`learned` has under another name are among its `collisions` afterward.")
      .def("sparse_of", &SearchResult::sparse_of, "sentences"_a, "rows"_a,
           nb::sig("def sparse_of(self, sentences: Sequence[int], rows: Sequence[int]) -> tuple[NDArray[numpy.int64], "
                   "NDArray[numpy.uint64], NDArray[numpy.float32]]"),
           "The same for candidates of any sentences.")
      .def("names_of", &SearchResult::names_of, "sentences"_a, "rows"_a, "wanted"_a,
           nb::sig("def names_of(self, sentences: Sequence[int], rows: Sequence[int], wanted: NDArray[numpy.uint64]) "
                   "-> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]"),
           "`name_arrays` for candidates of any sentences.")
      .def("bags", &SearchResult::bags, "templates"_a,
           nb::sig("def bags(self, templates: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], "
                   "NDArray[numpy.float32]]"),
           "For every sentence, features of some templates (by position) of the most frequent rule of each of its\n"
           "source phrases.")
      .def("bag_names", &SearchResult::bag_names, "templates"_a, "wanted"_a,
           nb::sig("def bag_names(self, templates: Sequence[int], wanted: NDArray[numpy.uint64]) "
                   "-> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]"),
           "`name_arrays` for what `bags` gives.")
      .def("names", &SearchResult::names, "sentence"_a, "rows"_a, "wanted"_a,
           nb::sig("def names(self, sentence: int, rows: Sequence[int], wanted: NDArray[numpy.uint64]) "
                   "-> dict[int, str]"),
           "Names of those features of some candidates that are wanted.")
      .def("name_arrays", &SearchResult::name_arrays, "sentence"_a, "rows"_a, "wanted"_a, "learned"_a.none() = nb::none(),
           nb::sig("def name_arrays(self, sentence: int, rows: Sequence[int], wanted: NDArray[numpy.uint64], "
                   "learned: LearnedWeights | None = None) "
                   "-> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]"),
           "Those features of some candidates that are wanted, their names one after another, and where each ends; in "
           "`learned` they stand for these names from now on.")
      .def("rule_posteriors", &SearchResult::rule_posteriors, "sentence"_a, "scale"_a,
           nb::sig("def rule_posteriors(self, sentence: int, scale: float) -> list[tuple[tuple[object, ...], "
                   "list[str], float]]"),
           "Steps of derivations with their words and the probability that a derivation takes them, highest first.")
      .def("ngram_posteriors", &SearchResult::ngram_posteriors, "sentence"_a, "scale"_a, "order"_a,
           nb::sig("def ngram_posteriors(self, sentence: int, scale: float, order: int) "
                   "-> dict[tuple[str, ...], float]"),
           "Expected count of each n-gram of up to ``order`` words in the translation.")
      .def("log_total", &SearchResult::log_total, "sentence"_a, "scale"_a,
           "Logarithm of the sum of exp(scale * score) over all derivations; -inf without any.");
}

}  // namespace isogloss::bindings
