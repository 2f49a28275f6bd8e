#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "rerank/consensus.hpp"
#include "rerank/lists.hpp"
#include "rerank/ordinal.hpp"
#include "rerank/splitting.hpp"
#include "rerank/sweep.hpp"
#include "rerank/voted.hpp"
#include "rerank/weights.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

using ArrayInOut = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

ArrayOut<double> to_array(const std::vector<double>& values) {
  Buffer<double> copy;
  copy.append(values.data(), values.size());
  return to_numpy(std::move(copy));
}

/// A view of the arrays and what keeps them alive.
class HeldLists {
 public:
  HeldLists(ArrayIn<std::int64_t> sentence_offsets, MatrixIn<double> dense,
            std::optional<ArrayIn<std::int64_t>> sparse_offsets,
            std::optional<ArrayIn<std::uint32_t>> sparse_columns,
            std::optional<ArrayIn<float>> sparse_values, std::size_t sparse_size)
      : sentence_offsets_(std::move(sentence_offsets)),
        dense_(std::move(dense)),
        sparse_offsets_(std::move(sparse_offsets)),
        sparse_columns_(std::move(sparse_columns)),
        sparse_values_(std::move(sparse_values)) {
    lists.sentence_offsets = view(sentence_offsets_);
    lists.dense = {dense_.data(), dense_.size()};
    lists.columns = dense_.shape(1);
    if (sparse_offsets_ && sparse_columns_ && sparse_values_) {
      lists.sparse_offsets = view(*sparse_offsets_);
      lists.sparse_columns = view(*sparse_columns_);
      lists.sparse_values = view(*sparse_values_);
      lists.sparse_size = sparse_size;
    }
    const nb::gil_scoped_release released;
    lists.check();
    if (lists.candidates() != dense_.shape(0))
      throw std::invalid_argument("dense features: one row per candidate is expected");
  }

  rerank::Lists lists;

  std::size_t weights() const { return lists.columns + lists.sparse_size; }

 private:
  ArrayIn<std::int64_t> sentence_offsets_;
  MatrixIn<double> dense_;
  std::optional<ArrayIn<std::int64_t>> sparse_offsets_;
  std::optional<ArrayIn<std::uint32_t>> sparse_columns_;
  std::optional<ArrayIn<float>> sparse_values_;
};

void check_weights(const HeldLists& held, std::size_t size) {
  if (size != held.weights())
    throw std::invalid_argument(std::to_string(size) + " weights for " + std::to_string(held.weights()) +
                                " features");
}

ArrayOut<double> scores_of(const HeldLists& held, ArrayIn<double> weights) {
  check_weights(held, weights.size());
  Buffer<double> scores;
  {
    const nb::gil_scoped_release released;
    scores.resize(held.lists.candidates());
    for (std::size_t i = 0; i < held.lists.sentences(); ++i)
      held.lists.score(i, view(weights), {scores.data() + held.lists.begin(i), held.lists.end(i) - held.lists.begin(i)});
  }
  return to_numpy(std::move(scores));
}

ArrayOut<double> combined(const HeldLists& held, ArrayIn<double> multipliers) {
  const rerank::Lists& lists = held.lists;
  if (multipliers.size() != lists.candidates())
    throw std::invalid_argument("multipliers: one per candidate is expected");
  Buffer<double> sums;
  {
    const nb::gil_scoped_release released;
    sums.resize(held.weights());
    const std::span<double> all{sums.data(), sums.size()};
    for (std::size_t i = 0; i < lists.sentences(); ++i) {
      const auto own = view(multipliers).subspan(lists.begin(i), lists.end(i) - lists.begin(i));
      lists.add_dense(i, own, all);
      lists.for_sparse(i, own, [&](std::uint32_t column, double value) { all[lists.columns + column] += value; });
    }
  }
  return to_numpy(std::move(sums));
}

using Totals = std::tuple<double, double, double>;
Totals totals_tuple(const rerank::PairTotals& totals) { return {totals.pairs, totals.weight, totals.loss}; }

ArrayIn<double> checked_quality(const HeldLists& held, ArrayIn<double> quality) {
  if (quality.size() != held.lists.candidates())
    throw std::invalid_argument("quality: one number per candidate is expected");
  for (std::size_t i = 0; i < quality.size(); ++i)
    if (!std::isfinite(quality.data()[i])) throw std::invalid_argument("quality: not a finite number");
  return quality;
}

/// A method at work on one list. Not for several threads at once: it holds scratch space.
template <class Method>
class Sweeper {
 public:
  template <class... Options>
  Sweeper(const HeldLists& held, ArrayIn<double> quality, Options... options)
      : held_(&held),
        quality_(checked_quality(held, std::move(quality))),
        method_(held.lists, view(quality_), options...) {}

  Totals sweep(ArrayIn<std::int64_t> sentences, rerank::Weights& weights, double lambda,
               std::optional<ArrayInOut> private_weights) {
    check_weights(*held_, weights.current().size());
    rerank::LambdaTrick trick;
    if (private_weights) {
      if (private_weights->size() != held_->lists.sentences())
        throw std::invalid_argument("private weights: one per sentence is expected");
      trick = {lambda, {private_weights->data(), private_weights->size()}};
    }
    const nb::gil_scoped_release released;
    return totals_tuple(rerank::sweep(method_, held_->lists, view(sentences), weights, trick));
  }

  Totals totals(ArrayIn<double> weights) {
    check_weights(*held_, weights.size());
    const nb::gil_scoped_release released;
    return totals_tuple(rerank::pair_totals(method_, held_->lists, view(weights)));
  }

  std::tuple<ArrayOut<double>, Totals> multipliers(std::size_t sentence, ArrayIn<double> scores, double shift) {
    const rerank::Lists& lists = held_->lists;
    if (sentence >= lists.sentences() || scores.size() != lists.end(sentence) - lists.begin(sentence))
      throw std::invalid_argument("multipliers: one score per candidate of a sentence is expected");
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!std::isfinite(scores.data()[i])) throw std::invalid_argument("multipliers: not a finite score");
    std::vector<double> found(scores.size());
    const rerank::PairTotals totals = method_.multipliers(sentence, view(scores), shift, found);
    return {to_array(found), totals_tuple(totals)};
  }

 private:
  const HeldLists* held_;
  ArrayIn<double> quality_;
  Method method_;
};

template <class Method>
nb::class_<Sweeper<Method>> bind_sweeper(nb::module_& module, const char* name, const char* doc) {
  return nb::class_<Sweeper<Method>>(module, name, doc)
      .def("sweep", &Sweeper<Method>::sweep, "sentences"_a, "weights"_a, nb::kw_only(), "private_lambda"_a = 0.0,
           "private_weights"_a = nb::none(),
           "One pass over the given sentences: violating pairs, sum of their multipliers, loss before the "
           "updates.\n\n``private_weights``, one per sentence, switches the λ trick on and is updated.")
      .def("totals", &Sweeper<Method>::totals, "weights"_a,
           "Violating pairs, sum of their multipliers and loss under fixed weights.")
      .def("multipliers", &Sweeper<Method>::multipliers, "sentence"_a, "scores"_a, nb::kw_only(), "shift"_a = 0.0,
           "The multipliers of one sentence's candidates, and the totals.");
}

void bind_methods(nb::module_& module) {
  bind_sweeper<rerank::Splitting>(module, "SplittingSweeper", "Splitting (Shen et al. 2004, Algorithm 1).")
      .def(
          "__init__",
          [](Sweeper<rerank::Splitting>* self, const HeldLists& lists, ArrayIn<double> quality, double good_share,
             std::size_t good_count, double bad_share, std::size_t bad_count, double margin) {
            new (self) Sweeper<rerank::Splitting>(lists, std::move(quality), rerank::SplitSize{good_share, good_count},
                                                  rerank::SplitSize{bad_share, bad_count}, margin);
          },
          nb::keep_alive<1, 2>(), "lists"_a, "quality"_a, nb::kw_only(), "good_share"_a, "good_count"_a,
          "bad_share"_a, "bad_count"_a, "margin"_a);
  bind_sweeper<rerank::Ordinal>(module, "OrdinalSweeper", "Ordinal regression (Shen et al. 2004, Algorithm 2).")
      .def(
          "__init__",
          [](Sweeper<rerank::Ordinal>* self, const HeldLists& lists, ArrayIn<double> quality, double ratio, double gap,
             double margin) {
            if (!(ratio >= 1) || !(gap >= 0)) throw std::invalid_argument("ratio is at least 1, gap at least 0");
            new (self) Sweeper<rerank::Ordinal>(lists, std::move(quality), rerank::RankDistance{ratio, gap}, margin);
          },
          nb::keep_alive<1, 2>(), "lists"_a, "quality"_a, nb::kw_only(), "ratio"_a, "gap"_a, "margin"_a);
  bind_sweeper<rerank::Voted>(module, "VotedSweeper", "The voted perceptron's update over all misordered pairs.")
      .def(
          "__init__",
          [](Sweeper<rerank::Voted>* self, const HeldLists& lists, ArrayIn<double> quality) {
            new (self) Sweeper<rerank::Voted>(lists, std::move(quality));
          },
          nb::keep_alive<1, 2>(), "lists"_a, "quality"_a);
  bind_sweeper<rerank::Perceptron>(module, "PerceptronSweeper", "The perceptron's update: oracle against choice.")
      .def(
          "__init__",
          [](Sweeper<rerank::Perceptron>* self, const HeldLists& lists, ArrayIn<double> quality) {
            new (self) Sweeper<rerank::Perceptron>(lists, std::move(quality));
          },
          nb::keep_alive<1, 2>(), "lists"_a, "quality"_a);
}

/// The candidates as segments whose offsets can be followed; as its own references it passes every check.
metric::Segments checked_segments(const ArrayIn<WordId>& ids, const ArrayIn<std::int64_t>& offsets,
                                  const ArrayIn<std::int64_t>& sentence_offsets, const ArrayIn<double>& probabilities) {
  const metric::Segments segments{view(ids), view(offsets), view(sentence_offsets)};
  metric::check_segments(segments, segments);
  if (probabilities.size() != segments.sequences())
    throw std::invalid_argument("probabilities: one per candidate is expected");
  return segments;
}

std::size_t consensus_order(std::size_t order) {
  if (order < 1 || order > rerank::kMaxConsensusOrder)
    throw std::invalid_argument("order must be between 1 and " + std::to_string(rerank::kMaxConsensusOrder) + ", got " +
                                std::to_string(order));
  return order;
}

ArrayOut<double> posteriors_array(ArrayIn<WordId> ids, ArrayIn<std::int64_t> offsets,
                                  ArrayIn<std::int64_t> sentence_offsets, ArrayIn<double> probabilities,
                                  std::size_t order, std::size_t threads) {
  const metric::Segments segments = checked_segments(ids, offsets, sentence_offsets, probabilities);
  consensus_order(order);
  Buffer<double> means;
  {
    const nb::gil_scoped_release released;
    means.resize(segments.sequences() * order);
    rerank::ngram_posteriors(segments, view(probabilities), order, threads, means.data());
  }
  return to_numpy(std::move(means), {segments.sequences(), order});
}

rerank::Utility utility_named(const std::string& name, bool aggregate) {
  if (name == "bleu") return rerank::Utility::kBleu;
  if (name == "chrf") return rerank::Utility::kChrf;
  if (name == "ter" && !aggregate) return rerank::Utility::kTer;
  throw std::invalid_argument("utility must be bleu, chrf" + std::string(aggregate ? "" : " or ter") + ", got '" +
                              name + "'");
}

ArrayOut<double> aggregate_array(ArrayIn<WordId> ids, ArrayIn<std::int64_t> offsets,
                                 ArrayIn<std::int64_t> sentence_offsets, ArrayIn<double> probabilities,
                                 const std::string& utility, std::size_t order, std::size_t threads) {
  const metric::Segments segments = checked_segments(ids, offsets, sentence_offsets, probabilities);
  consensus_order(order);
  const rerank::Utility kind = utility_named(utility, true);
  Buffer<double> utilities;
  {
    const nb::gil_scoped_release released;
    utilities.resize(segments.sequences());
    rerank::aggregate_utilities(segments, view(probabilities), kind, order, threads, utilities.data());
  }
  return to_numpy(std::move(utilities));
}

ArrayOut<double> utilities_array(ArrayIn<WordId> ids, ArrayIn<std::int64_t> offsets,
                                 ArrayIn<std::int64_t> sentence_offsets, ArrayIn<double> probabilities,
                                 const std::string& utility, std::size_t order, std::size_t references,
                                 std::size_t threads) {
  const metric::Segments segments = checked_segments(ids, offsets, sentence_offsets, probabilities);
  consensus_order(order);
  const rerank::Utility kind = utility_named(utility, false);
  Buffer<double> utilities;
  {
    const nb::gil_scoped_release released;
    utilities.resize(segments.sequences());
    rerank::expected_utilities(segments, view(probabilities), kind, order, references, threads, utilities.data());
  }
  return to_numpy(std::move(utilities));
}

}  // namespace

void bind_rerank(nb::module_& module) {
  nb::class_<HeldLists>(module, "RerankLists",
                        "Candidates and features to learn from. Scores are relative to the first candidate of "
                        "each sentence.")
      .def(nb::init<ArrayIn<std::int64_t>, MatrixIn<double>, std::optional<ArrayIn<std::int64_t>>,
                    std::optional<ArrayIn<std::uint32_t>>, std::optional<ArrayIn<float>>, std::size_t>(),
           "sentence_offsets"_a, "dense"_a, "sparse_offsets"_a = nb::none(), "sparse_columns"_a = nb::none(),
           "sparse_values"_a = nb::none(), nb::kw_only(), "sparse_size"_a = 0)
      .def("scores", &scores_of, "weights"_a, "The score of every candidate: dense weights, then sparse ones.")
      .def("combine", &combined, "multipliers"_a,
           "The sum of all candidates' features, each times its multiplier; dense ones relative to the first\n"
           "candidate of the sentence.");
  nb::class_<rerank::Weights>(module, "RerankWeights", "Weights that a sweep changes, and their average.")
      .def(
          "__init__",
          [](rerank::Weights* self, ArrayIn<double> start, std::size_t columns, ArrayIn<double> rates) {
            new (self) rerank::Weights({start.data(), start.data() + start.size()}, columns,
                                       {rates.data(), rates.data() + rates.size()});
          },
          "start"_a, "columns"_a, "rates"_a,
          "``rates``: step size of each dense column, and one more for all sparse columns.")
      .def(
          "current",
          [](const rerank::Weights& self) {
            return to_array({self.current().begin(), self.current().end()});
          },
          "A copy of the current weights.")
      .def(
          "average", [](const rerank::Weights& self) { return to_array(self.average()); },
          "Mean of the weights after every step.")
      .def_prop_ro("steps", &rerank::Weights::steps, "Sentences seen so far.");
  bind_methods(module);
  module.def("ngram_posteriors", &posteriors_array, "ids"_a, "offsets"_a, "sentence_offsets"_a,
             "probabilities"_a, nb::kw_only(), "order"_a = 4, "threads"_a = 1,
             "Candidates × order: the mean probability that a candidate of the list has one of this one's "
             "n-grams.");
  module.def("expected_utilities", &utilities_array, "ids"_a, "offsets"_a, "sentence_offsets"_a,
             "probabilities"_a, nb::kw_only(), "utility"_a, "order"_a, "references"_a = 0, "threads"_a = 1,
             "Expected ``bleu``, ``chrf`` (0..1) or ``ter`` (1 - TER) of each candidate against the candidates of\n"
             "its list, each with its probability; only the ``references`` most probable ones take part (0: all).");
  module.def("aggregate_utilities", &aggregate_array, "ids"_a, "offsets"_a, "sentence_offsets"_a, "probabilities"_a,
             nb::kw_only(), "utility"_a, "order"_a, "threads"_a = 1,
             "``bleu`` or ``chrf`` of each candidate against the mean of all, n-grams with expected counts.");
}

}  // namespace isogloss::bindings
