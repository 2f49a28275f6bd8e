#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/metric.hpp"
#include "metric/bleu.hpp"
#include "metric/chrf.hpp"
#include "metric/nist.hpp"
#include "metric/reference_ngrams.hpp"
#include "metric/segments.hpp"
#include "metric/ter.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

std::size_t checked_order(std::size_t order) {
  if (order < 1 || order > metric::kMaxNgramOrder)
    throw std::invalid_argument("order must be between 1 and " + std::to_string(metric::kMaxNgramOrder) + ", got " +
                                std::to_string(order));
  return order;
}

ArrayOut<std::int32_t> bleu_statistics_array(
    ArrayIn<WordId> hypothesis_ids, ArrayIn<std::int64_t> hypothesis_offsets,
    ArrayIn<std::int64_t> sentence_offsets, ArrayIn<WordId> reference_ids,
    ArrayIn<std::int64_t> reference_offsets, ArrayIn<std::int64_t> reference_sentence_offsets,
    std::size_t order, const std::string& length, std::size_t threads) {
  const metric::Segments candidates{view(hypothesis_ids), view(hypothesis_offsets), view(sentence_offsets)};
  const metric::Segments references{view(reference_ids), view(reference_offsets), view(reference_sentence_offsets)};
  const metric::ReferenceLength kind = reference_length(length);
  const std::size_t columns = metric::bleu_columns(checked_order(order));
  Buffer<std::int32_t> rows;
  {
    const nb::gil_scoped_release released;
    metric::check_segments(candidates, references);
    rows.resize(candidates.sequences() * columns);
    metric::bleu_statistics(candidates, references, order, kind, threads, rows.data());
  }
  return to_numpy(std::move(rows), {candidates.sequences(), columns});
}

ArrayOut<double> nist_statistics_array(
    ArrayIn<WordId> hypothesis_ids, ArrayIn<std::int64_t> hypothesis_offsets,
    ArrayIn<std::int64_t> sentence_offsets, ArrayIn<WordId> reference_ids,
    ArrayIn<std::int64_t> reference_offsets, ArrayIn<std::int64_t> reference_sentence_offsets,
    std::size_t order, std::size_t threads) {
  const metric::Segments candidates{view(hypothesis_ids), view(hypothesis_offsets), view(sentence_offsets)};
  const metric::Segments references{view(reference_ids), view(reference_offsets), view(reference_sentence_offsets)};
  const std::size_t columns = metric::nist_columns(checked_order(order));
  Buffer<double> rows;
  {
    const nb::gil_scoped_release released;
    metric::check_segments(candidates, references);
    rows.resize(candidates.sequences() * columns);
    metric::nist_statistics(candidates, references, order, threads, rows.data());
  }
  return to_numpy(std::move(rows), {candidates.sequences(), columns});
}

ArrayOut<std::int32_t> chrf_statistics_array(
    ArrayIn<WordId> hypothesis_ids, ArrayIn<std::int64_t> hypothesis_offsets,
    ArrayIn<std::int64_t> sentence_offsets, ArrayIn<WordId> reference_ids,
    ArrayIn<std::int64_t> reference_offsets, ArrayIn<std::int64_t> reference_sentence_offsets,
    std::size_t order, std::size_t threads) {
  const metric::Segments candidates{view(hypothesis_ids), view(hypothesis_offsets), view(sentence_offsets)};
  const metric::Segments references{view(reference_ids), view(reference_offsets), view(reference_sentence_offsets)};
  const std::size_t columns = metric::chrf_columns(checked_order(order));
  Buffer<std::int32_t> rows;
  {
    const nb::gil_scoped_release released;
    metric::check_segments(candidates, references);
    rows.resize(candidates.sequences() * columns);
    metric::chrf_statistics(candidates, references, order, threads, rows.data());
  }
  return to_numpy(std::move(rows), {candidates.sequences(), columns});
}

ArrayOut<double> ter_statistics_array(
    ArrayIn<WordId> hypothesis_ids, ArrayIn<std::int64_t> hypothesis_offsets,
    ArrayIn<std::int64_t> sentence_offsets, ArrayIn<WordId> reference_ids,
    ArrayIn<std::int64_t> reference_offsets, ArrayIn<std::int64_t> reference_sentence_offsets, std::size_t threads) {
  const metric::Segments candidates{view(hypothesis_ids), view(hypothesis_offsets), view(sentence_offsets)};
  const metric::Segments references{view(reference_ids), view(reference_offsets), view(reference_sentence_offsets)};
  Buffer<double> rows;
  {
    const nb::gil_scoped_release released;
    metric::check_segments(candidates, references);
    rows.resize(candidates.sequences() * 2);
    metric::ter_statistics(candidates, references, threads, rows.data());
  }
  return to_numpy(std::move(rows), {candidates.sequences(), 2});
}

template <class Count>
ArrayOut<double> bleu_scores_array(MatrixIn<Count> statistics, std::optional<ArrayIn<double>> background,
                                   const std::string& smoothing, std::optional<double> smoothing_value,
                                   bool effective_order, std::size_t threads) {
  const std::size_t columns = statistics.shape(1);
  if (columns < 4 || columns % 2 != 0)
    throw std::invalid_argument("BLEU statistics have 2 + 2 * order columns, got " + std::to_string(columns));
  if (background && background->size() != columns)
    throw std::invalid_argument("background has " + std::to_string(background->size()) +
                                " numbers, the statistics have " + std::to_string(columns) + " columns");
  const std::size_t order = checked_order((columns - 2) / 2);
  const metric::BleuOptions options = bleu_options(smoothing, smoothing_value, effective_order);
  const std::span<const Count> rows{statistics.data(), statistics.size()};
  Buffer<double> scores;
  {
    const nb::gil_scoped_release released;
    scores.resize(statistics.shape(0));
    metric::bleu_scores(rows, background ? view(*background) : std::span<const double>{}, order, options, threads,
                        scores.data());
  }
  return to_numpy(std::move(scores));
}

}  // namespace

metric::ReferenceLength reference_length(const std::string& name) {
  if (name == "closest") return metric::ReferenceLength::kClosest;
  if (name == "shortest") return metric::ReferenceLength::kShortest;
  if (name == "average") return metric::ReferenceLength::kAverage;
  throw std::invalid_argument("length must be closest, shortest or average, got '" + name + "'");
}

metric::BleuOptions bleu_options(const std::string& smoothing, std::optional<double> value, bool effective_order) {
  if (smoothing == "none") return {metric::BleuSmoothing::kNone, 0, effective_order};
  if (smoothing == "exp") return {metric::BleuSmoothing::kExponential, 0, effective_order};
  if (smoothing == "floor") return {metric::BleuSmoothing::kFloor, value.value_or(0.1), effective_order};
  if (smoothing == "add-k") return {metric::BleuSmoothing::kAddK, value.value_or(1), effective_order};
  throw std::invalid_argument("smoothing must be none, exp, floor or add-k, got '" + smoothing + "'");
}

void bind_metric(nb::module_& module) {
  module.def(
      "bleu_statistics", &bleu_statistics_array, "hypothesis_ids"_a, "hypothesis_offsets"_a,
      "sentence_offsets"_a, "reference_ids"_a, "reference_offsets"_a, "reference_sentence_offsets"_a,
      nb::kw_only(), "order"_a = 4, "length"_a = "closest", "threads"_a = 1,
      "One row per candidate: length, reference length, matched n-grams by order, all n-grams by order.\n\n"
      "Candidate c holds ``hypothesis_ids[hypothesis_offsets[c]:hypothesis_offsets[c + 1]]``; sentence i\n"
      "has the candidates ``sentence_offsets[i]:sentence_offsets[i + 1]``; references likewise.\n"
      "``NO_WORD`` matches nothing. ``length`` is ``closest`` (ties to the shorter), ``shortest`` or\n"
      "``average`` (whole tokens, halves upward). Rows of candidates that no sentence owns are zero.");
  module.def(
      "nist_statistics", &nist_statistics_array, "hypothesis_ids"_a, "hypothesis_offsets"_a,
      "sentence_offsets"_a, "reference_ids"_a, "reference_offsets"_a, "reference_sentence_offsets"_a,
      nb::kw_only(), "order"_a = 5, "threads"_a = 1,
      "One row per candidate: length, mean reference length, information of the matched n-grams by order,\n"
      "all n-grams by order.\n\n"
      "Arguments as of ``bleu_statistics``; all references given weigh the n-grams.");
  module.def(
      "chrf_statistics", &chrf_statistics_array, "hypothesis_ids"_a, "hypothesis_offsets"_a, "sentence_offsets"_a,
      "reference_ids"_a, "reference_offsets"_a, "reference_sentence_offsets"_a, nb::kw_only(), "order"_a = 6,
      "threads"_a = 1,
      "One row per candidate: n-grams of the candidate, of the reference, and in both, for each order; ids are\n"
      "characters. With several references, those of the best one.");
  module.def(
      "ter_statistics", &ter_statistics_array, "hypothesis_ids"_a, "hypothesis_offsets"_a, "sentence_offsets"_a,
      "reference_ids"_a, "reference_offsets"_a, "reference_sentence_offsets"_a, nb::kw_only(), "threads"_a = 1,
      "One row per candidate: the fewest edits to a reference, the mean length of the references.");
  constexpr const char* scores_doc =
      "BLEU in 0..1 of each row of statistics, ``background`` added to it first.\n\n"
      "``smoothing`` is ``none``, ``exp``, ``floor`` or ``add-k`` with sacreBLEU's formulas and default\n"
      "values; ``effective_order`` leaves out orders that are longer than the candidate.";
  // The first overload takes what bleu_statistics gives as it is; everything else becomes float64.
  module.def("bleu_scores", &bleu_scores_array<std::int32_t>, nb::arg("statistics").noconvert(),
             nb::kw_only(), "background"_a = nb::none(), "smoothing"_a = "none",
             "smoothing_value"_a = nb::none(), "effective_order"_a = false, "threads"_a = 1, scores_doc);
  module.def("bleu_scores", &bleu_scores_array<double>, "statistics"_a, nb::kw_only(),
             "background"_a = nb::none(), "smoothing"_a = "none", "smoothing_value"_a = nb::none(),
             "effective_order"_a = false, "threads"_a = 1, scores_doc);
}

}  // namespace isogloss::bindings
