#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "bindings/arrays.hpp"
#include "adapt/error_update.hpp"
#include "adapt/example_index.hpp"
#include "adapt/gains.hpp"
#include "adapt/margin_update.hpp"
#include "metric/bleu.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

ArrayOut<double> to_array(std::span<const double> values) {
  Buffer<double> out;
  out.append(values.data(), values.size());
  return to_numpy(std::move(out));
}

/// An index of examples over arrays that Python owns.
class ExampleIndex {
 public:
  ExampleIndex(ArrayIn<std::int64_t> offsets, ArrayIn<WordId> words, ArrayIn<double> norms,
               ArrayIn<std::int64_t> posting_offsets, ArrayIn<std::uint32_t> postings, ArrayIn<float> posting_weights,
               ArrayIn<float> largest_weights)
      : arrays_(offsets, words, norms, posting_offsets, postings, posting_weights, largest_weights),
        view_{view(offsets), view(words), view(norms), view(posting_offsets), view(postings), view(posting_weights),
              view(largest_weights)} {
    if (view_.offsets.size() != view_.examples() + 1 || view_.posting_offsets.size() != view_.vocabulary() + 1 ||
        view_.postings.size() != view_.posting_weights.size() || view_.examples() >= 0xffffffffu)
      throw nb::value_error("the arrays of an index of examples do not fit together");
  }

  const adapt::IndexView& index() const { return view_; }

 private:
  std::tuple<ArrayIn<std::int64_t>, ArrayIn<WordId>, ArrayIn<double>, ArrayIn<std::int64_t>, ArrayIn<std::uint32_t>,
             ArrayIn<float>, ArrayIn<float>>
      arrays_;
  adapt::IndexView view_;
};

adapt::Query query_of(const ArrayIn<std::uint16_t>& tokens, const ArrayIn<WordId>& words, const ArrayIn<double>& idf) {
  if (words.size() != idf.size() || words.size() > adapt::kMostTerms)
    throw nb::value_error("query: a word and an idf for each term are expected, and not too many");
  return {view(tokens), view(words), view(idf)};
}

template <class T>
std::span<const T> one_per_example(const std::optional<ArrayIn<T>>& array, const adapt::IndexView& index) {
  if (!array) return {};
  if (array->size() != index.examples()) throw nb::value_error("one value for each example is expected");
  return view(*array);
}

/// Scratch space of a search is as large as the index: a thread keeps its own.
adapt::Retrieval& retrieval() {
  thread_local adapt::Retrieval mine;
  return mine;
}

std::tuple<ArrayOut<std::uint32_t>, ArrayOut<double>> search(
    const ExampleIndex& self, ArrayIn<std::uint16_t> tokens, ArrayIn<WordId> words, ArrayIn<double> idf,
    std::size_t most, double edit_share, double at_least, bool skip_identical,
    std::optional<ArrayIn<std::uint8_t>> skip, std::optional<ArrayIn<std::uint32_t>> documents,
    std::uint32_t skip_document, std::optional<ArrayIn<std::int64_t>> dates, std::int64_t before) {
  const adapt::Query query = query_of(tokens, words, idf);
  adapt::SearchLimits limits;
  limits.most = most;
  limits.edit_share = edit_share;
  limits.at_least = at_least;
  limits.skip_identical = skip_identical;
  limits.skip = one_per_example(skip, self.index());
  limits.documents = one_per_example(documents, self.index());
  limits.skip_document = skip_document;
  limits.dates = one_per_example(dates, self.index());
  limits.before = before;
  Buffer<std::uint32_t> examples;
  Buffer<double> similarities;
  {
    const nb::gil_scoped_release release;
    for (const adapt::Found& found : retrieval().search(self.index(), query, limits)) {
      examples.push_back(found.example);
      similarities.push_back(found.similarity);
    }
  }
  return {to_numpy(std::move(examples)), to_numpy(std::move(similarities))};
}

ArrayOut<double> similarities(const ExampleIndex& self, ArrayIn<std::uint16_t> tokens, ArrayIn<WordId> words,
                              ArrayIn<double> idf, double edit_share) {
  const adapt::Query query = query_of(tokens, words, idf);
  Buffer<double> out;
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < self.index().examples(); ++i)
      out.push_back(retrieval().similarity(self.index(), query, edit_share, static_cast<std::uint32_t>(i)));
  }
  return to_numpy(std::move(out));
}

nb::dict index_arrays(ArrayIn<std::int64_t> offsets, ArrayIn<WordId> words, ArrayIn<double> idf) {
  adapt::IndexColumns columns;
  {
    const nb::gil_scoped_release release;
    columns = adapt::index_examples(view(offsets), view(words), view(idf));
  }
  nb::dict out;
  out["norms"] = to_numpy(std::move(columns.norms));
  out["posting_offsets"] = to_numpy(std::move(columns.posting_offsets));
  out["postings"] = to_numpy(std::move(columns.postings));
  out["posting_weights"] = to_numpy(std::move(columns.posting_weights));
  out["largest_weights"] = to_numpy(std::move(columns.largest_weights));
  return out;
}

/// Candidate lists as Python hands them over.
class Lists {
 public:
  Lists(ArrayIn<std::int64_t> offsets, MatrixIn<double> dense, std::optional<ArrayIn<std::int64_t>> sparse_offsets,
        std::optional<ArrayIn<std::uint32_t>> sparse_columns, std::optional<ArrayIn<float>> sparse_values,
        std::size_t sparse_size, std::optional<ArrayIn<double>> constants)
      : offsets_(offsets), dense_(dense), sparse_offsets_(sparse_offsets), sparse_columns_(sparse_columns),
        sparse_values_(sparse_values), constants_(constants) {
    lists_.offsets = view(offsets);
    lists_.dense = {dense.data(), dense.size()};
    lists_.dense_size = dense.shape(1);
    if (constants) lists_.constants = view(*constants);
    if (sparse_size > 0) {
      if (!sparse_offsets || !sparse_columns || !sparse_values)
        throw nb::value_error("sparse features need offsets, columns and values");
      lists_.sparse_offsets = view(*sparse_offsets);
      lists_.sparse_columns = view(*sparse_columns);
      lists_.sparse_values = view(*sparse_values);
      lists_.sparse_size = sparse_size;
    }
    lists_.check();
  }

  const adapt::CandidateLists& lists() const { return lists_; }

 private:
  ArrayIn<std::int64_t> offsets_;
  MatrixIn<double> dense_;
  std::optional<ArrayIn<std::int64_t>> sparse_offsets_;
  std::optional<ArrayIn<std::uint32_t>> sparse_columns_;
  std::optional<ArrayIn<float>> sparse_values_;
  std::optional<ArrayIn<double>> constants_;
  adapt::CandidateLists lists_;
};

ArrayOut<std::int64_t> best_rows(const Lists& self, ArrayIn<double> weights) {
  const adapt::CandidateLists& lists = self.lists();
  if (weights.size() != lists.features()) throw nb::value_error("one weight for each feature is expected");
  Buffer<std::int64_t> best;
  for (std::size_t j = 0; j < lists.examples(); ++j) {
    double highest = -std::numeric_limits<double>::infinity();
    best.push_back(lists.offsets[j]);
    for (auto row = lists.offsets[j]; row < lists.offsets[j + 1]; ++row) {
      const double score = lists.dot(static_cast<std::size_t>(row), weights.data());
      if (score > highest) highest = score, best.back() = row;
    }
  }
  return to_numpy(std::move(best));
}

std::tuple<ArrayOut<double>, double, double, std::size_t> mbuu(const Lists& self, ArrayIn<double> gains,
                                                               ArrayIn<double> strengths, ArrayIn<double> baseline,
                                                               double tolerance, std::size_t max_passes) {
  adapt::MarginResult result;
  {
    const nb::gil_scoped_release release;
    result = adapt::margin_update(self.lists(), view(gains), view(strengths), view(baseline), {tolerance, max_passes});
  }
  return {to_array(result.change), result.objective, result.gap, result.passes};
}

double mbuu_objective(const Lists& self, ArrayIn<double> gains, ArrayIn<double> strengths, ArrayIn<double> baseline,
                      ArrayIn<double> change) {
  return adapt::margin_objective(self.lists(), view(gains), view(strengths), view(baseline), view(change));
}

using Updated = std::tuple<ArrayOut<double>, double, double, std::size_t>;
using Valued = std::tuple<double, ArrayOut<double>>;

Updated ebuu(const Lists& self, const adapt::ExpectedLoss& loss, const ArrayIn<double>& strengths,
             const ArrayIn<double>& baseline, const std::optional<ArrayIn<double>>& start, double sharpness,
             double tolerance, double least_gain, std::size_t iterations) {
  adapt::ErrorResult result;
  {
    const nb::gil_scoped_release release;
    result = adapt::error_update(self.lists(), loss, view(strengths), view(baseline),
                                 start ? view(*start) : std::span<const double>{},
                                 {sharpness, tolerance, least_gain, iterations});
  }
  return {to_array(result.change), result.objective, result.start, result.iterations};
}

Valued ebuu_objective(const Lists& self, const adapt::ExpectedLoss& loss, const ArrayIn<double>& strengths,
                      const ArrayIn<double>& baseline, const ArrayIn<double>& change, double sharpness) {
  Buffer<double> gradient;
  gradient.resize(baseline.size());
  const double value = adapt::error_objective(self.lists(), loss, view(strengths), view(baseline), view(change),
                                              sharpness, {gradient.data(), gradient.size()});
  return {value, to_numpy(std::move(gradient))};
}

Updated error_of_each(const Lists& self, ArrayIn<double> errors, ArrayIn<double> strengths, ArrayIn<double> baseline,
                      std::optional<ArrayIn<double>> start, double sharpness, double tolerance, double least_gain,
                      std::size_t iterations) {
  return ebuu(self, adapt::ExpectedError(view(errors)), strengths, baseline, start, sharpness, tolerance, least_gain,
              iterations);
}

Valued objective_of_each(const Lists& self, ArrayIn<double> errors, ArrayIn<double> strengths,
                         ArrayIn<double> baseline, ArrayIn<double> change, double sharpness) {
  return ebuu_objective(self, adapt::ExpectedError(view(errors)), strengths, baseline, change, sharpness);
}

adapt::ExpectedBleu expected_bleu(const MatrixIn<std::int32_t>& statistics) {
  if (statistics.shape(1) < metric::bleu_columns(1) || statistics.shape(1) % 2 != 0)
    throw nb::value_error("statistics of BLEU have 2 + 2·order columns");
  return {{statistics.data(), statistics.size()}, statistics.shape(1) / 2 - 1};
}

Updated bleu_of_all(const Lists& self, MatrixIn<std::int32_t> statistics, ArrayIn<double> strengths,
                    ArrayIn<double> baseline, std::optional<ArrayIn<double>> start, double sharpness,
                    double tolerance, double least_gain, std::size_t iterations) {
  return ebuu(self, expected_bleu(statistics), strengths, baseline, start, sharpness, tolerance, least_gain,
              iterations);
}

Valued objective_of_all(const Lists& self, MatrixIn<std::int32_t> statistics, ArrayIn<double> strengths,
                        ArrayIn<double> baseline, ArrayIn<double> change, double sharpness) {
  return ebuu_objective(self, expected_bleu(statistics), strengths, baseline, change, sharpness);
}

ArrayOut<double> gains(MatrixIn<std::int32_t> statistics, ArrayIn<std::int64_t> offsets,
                       ArrayIn<std::int64_t> chosen, double decay) {
  if (statistics.shape(1) < metric::bleu_columns(1) || statistics.shape(1) % 2 != 0)
    throw nb::value_error("statistics of BLEU have 2 + 2·order columns");
  Buffer<double> out;
  out.resize(statistics.shape(0));
  {
    const nb::gil_scoped_release release;
    adapt::document_gains({statistics.data(), statistics.size()}, view(offsets), view(chosen),
                          statistics.shape(1) / 2 - 1, decay, {out.data(), out.size()});
  }
  return to_numpy(std::move(out));
}

std::size_t edit_distance(ArrayIn<std::uint16_t> a, ArrayIn<std::uint16_t> b, std::size_t terms) {
  if (terms > adapt::kMostTerms) throw nb::value_error("too many different tokens");
  for (const auto& sequence : {view(a), view(b)})
    for (std::uint16_t token : sequence)
      if (token >= terms) throw nb::value_error("a token that does not exist");
  adapt::EditDistance distance;
  distance.set_pattern(view(a), terms);
  return distance(view(b));
}

}  // namespace

void bind_adapt(nb::module_& module) {
  module.def("index_examples", &index_arrays, nb::kw_only(), "offsets"_a, "words"_a, "idf"_a,
             nb::sig("def index_examples(*, offsets: numpy.typing.NDArray[numpy.int64], words: "
                     "numpy.typing.NDArray[numpy.uint32], idf: numpy.typing.NDArray[numpy.float64]) -> dict[str, "
                     "numpy.typing.NDArray[typing.Any]]"),
             "The arrays of an index of sentences, by the idf of each word.");
  module.def("edit_distance", &edit_distance, "a"_a, "b"_a, nb::kw_only(), "terms"_a,
             "Levenshtein distance of two sequences of numbers below ``terms``.");
  module.def("document_gains", &gains, nb::kw_only(), "statistics"_a, "offsets"_a, "chosen"_a, "decay"_a,
             "BLEU of a decaying pseudo-document with each candidate added, times its length (Chiang et al. 2008).");
  nb::class_<ExampleIndex>(module, "ExampleIndex", "Finds the sentences that are most similar to another.")
      .def(nb::init<ArrayIn<std::int64_t>, ArrayIn<WordId>, ArrayIn<double>, ArrayIn<std::int64_t>,
                    ArrayIn<std::uint32_t>, ArrayIn<float>, ArrayIn<float>>(),
           nb::kw_only(), "offsets"_a, "words"_a, "norms"_a, "posting_offsets"_a, "postings"_a, "posting_weights"_a,
           "largest_weights"_a)
      .def("search", &search, nb::kw_only(), "tokens"_a, "words"_a, "idf"_a, "most"_a, "edit_share"_a, "at_least"_a = 0.0,
           "skip_identical"_a = false, "skip"_a = nb::none(), "documents"_a = nb::none(), "skip_document"_a = 0,
           "dates"_a = nb::none(), "before"_a = std::numeric_limits<std::int64_t>::max(),
           "The most similar examples and their similarities, best first.")
      .def("similarities", &similarities, nb::kw_only(), "tokens"_a, "words"_a, "idf"_a, "edit_share"_a,
           "The similarity of every example by brute force, for tests.");
  nb::class_<Lists>(module, "CandidateLists", "Features of the candidates of some examples, to train weights on.")
      .def(nb::init<ArrayIn<std::int64_t>, MatrixIn<double>, std::optional<ArrayIn<std::int64_t>>,
                    std::optional<ArrayIn<std::uint32_t>>, std::optional<ArrayIn<float>>, std::size_t,
                    std::optional<ArrayIn<double>>>(),
           nb::kw_only(), "offsets"_a, "dense"_a, "sparse_offsets"_a = nb::none(), "sparse_columns"_a = nb::none(),
           "sparse_values"_a = nb::none(), "sparse_size"_a = 0, "constants"_a = nb::none())
      .def("best", &best_rows, "weights"_a, "The row of the best candidate of each example; the first in case of ties.")
      .def("margin_update", &mbuu, nb::kw_only(), "gains"_a, "strengths"_a, "baseline"_a, "tolerance"_a = 1e-8,
           "max_passes"_a = 500, "MBUU: change of the weights, objective, duality gap, passes.")
      .def("margin_objective", &mbuu_objective, nb::kw_only(), "gains"_a, "strengths"_a, "baseline"_a, "change"_a,
           "The objective of MBUU.")
      .def("error_update", &error_of_each, nb::kw_only(), "errors"_a, "strengths"_a, "baseline"_a,
           "start"_a = nb::none(), "sharpness"_a, "tolerance"_a = 1e-7, "least_gain"_a = 1e-14, "iterations"_a = 50,
           "EBUU: change of the weights, objective, objective at the baseline, iterations.")
      .def("error_objective", &objective_of_each, nb::kw_only(), "errors"_a, "strengths"_a, "baseline"_a, "change"_a,
           "sharpness"_a, "The objective of EBUU and its gradient.")
      .def("bleu_update", &bleu_of_all, nb::kw_only(), "statistics"_a, "strengths"_a, "baseline"_a,
           "start"_a = nb::none(), "sharpness"_a, "tolerance"_a = 1e-7, "least_gain"_a = 1e-14, "iterations"_a = 50,
           "The same with the BLEU of all examples together in place of errors.")
      .def("bleu_objective", &objective_of_all, nb::kw_only(), "statistics"_a, "strengths"_a, "baseline"_a,
           "change"_a, "sharpness"_a, "Its objective and gradient.");
}

}  // namespace isogloss::bindings
