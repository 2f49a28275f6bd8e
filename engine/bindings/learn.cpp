#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/metric.hpp"
#include "learn/batch_mira.hpp"
#include "learn/choice.hpp"
#include "learn/large_margin.hpp"
#include "learn/line_search.hpp"
#include "metric/bleu.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

ArrayOut<double> numbers(const std::vector<double>& values) {
  Buffer<double> buffer;
  buffer.append(values.data(), values.size());
  return to_numpy(std::move(buffer));
}

std::tuple<ArrayOut<double>, ArrayOut<double>, double, double, std::size_t> large_margin(
    MatrixIn<double> dense, ArrayIn<std::int64_t> sparse_offsets, ArrayIn<std::uint32_t> columns,
    ArrayIn<float> values, ArrayIn<double> scores, ArrayIn<std::uint32_t> oracles,
    ArrayIn<std::uint32_t> others, ArrayIn<double> losses, double aggressiveness, bool slack_per_pair, bool keep,
    double tolerance, std::size_t max_steps) {
  if (oracles.size() != others.size() || oracles.size() != losses.size())
    throw nb::value_error("oracles, others and losses must be equally many");
  const learn::FeatureRows rows{{dense.data(), dense.size()}, dense.shape(1), view(sparse_offsets),
                                view(columns),                view(values),   view(scores)};
  const learn::LargeMarginOptions options{aggressiveness, slack_per_pair, keep, tolerance, max_steps};
  learn::LargeMarginUpdate update;
  {
    const nb::gil_scoped_release released;
    rows.check();
    std::vector<learn::MarginPair> pairs(oracles.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i] = {oracles.data()[i], others.data()[i], losses.data()[i]};
    update = learn::large_margin_update(rows, pairs, options);
  }
  return {numbers(update.alphas), numbers(update.coefficients), update.dual, update.primal, update.steps};
}

using Choices = std::tuple<ArrayOut<double>, ArrayOut<double>>;

Choices to_arrays(learn::LineChoices&& choices, std::size_t columns) {
  const std::size_t intervals = choices.thresholds.size() + 1;
  return {to_numpy(std::move(choices.thresholds)), to_numpy(std::move(choices.sums), {intervals, columns})};
}

void bind_line_search(nb::module_& module) {
  nb::class_<learn::LineSearch>(module, "LineSearch",
                                "An n-best list prepared for searches along lines of weights; threads may share it.")
      .def(
          "__init__",
          [](learn::LineSearch* self, ArrayIn<std::int64_t> sentence_offsets, MatrixIn<double> dense,
             MatrixIn<double> statistics) {
            const nb::gil_scoped_release released;
            new (self) learn::LineSearch(view(sentence_offsets), {dense.data(), dense.size()}, dense.shape(1),
                                         {statistics.data(), statistics.size()}, statistics.shape(1));
          },
          "sentence_offsets"_a, "dense"_a, "statistics"_a)
      .def(
          "along_column",
          [](const learn::LineSearch& self, ArrayIn<double> intercepts, std::size_t column) {
            learn::LineChoices choices;
            {
              const nb::gil_scoped_release released;
              choices = self.along_column(view(intercepts), column);
            }
            return to_arrays(std::move(choices), self.statistics_columns());
          },
          "intercepts"_a, "column"_a,
          "Where the chosen candidates change along the weight of one dense column, and the statistics of\n"
          "the chosen ones in each interval between: thresholds, and one row more of summed statistics.")
      .def(
          "along",
          [](const learn::LineSearch& self, ArrayIn<double> intercepts, ArrayIn<double> slopes) {
            learn::LineChoices choices;
            {
              const nb::gil_scoped_release released;
              choices = self.along(view(intercepts), view(slopes));
            }
            return to_arrays(std::move(choices), self.statistics_columns());
          },
          "intercepts"_a, "slopes"_a, "The same along any direction, given by its slope for each candidate.")
      .def(
          "products",
          [](const learn::LineSearch& self, ArrayIn<double> direction) {
            Buffer<double> products;
            {
              const nb::gil_scoped_release released;
              products = self.products(view(direction));
            }
            return to_numpy(std::move(products));
          },
          "direction"_a, "The product of a direction with the dense features of each candidate.");
}

/// Batch MIRA on arrays that Python owns, and the state between passes.
class BoundMira {
 public:
  BoundMira(ArrayIn<std::int64_t> sentence_offsets, MatrixIn<double> dense, ArrayIn<std::int64_t> sparse_offsets,
            ArrayIn<std::uint32_t> columns, ArrayIn<float> values, std::size_t sparse_columns,
            MatrixIn<double> statistics, ArrayIn<double> dense_weights, ArrayIn<double> sparse_weights,
            ArrayIn<double> background)
      : owners_{nb::cast(sentence_offsets), nb::cast(dense),      nb::cast(sparse_offsets), nb::cast(columns),
                nb::cast(values),           nb::cast(statistics)},
        list_{view(sentence_offsets),
              {dense.data(), dense.size()},
              dense.shape(1),
              view(sparse_offsets),
              view(columns),
              view(values),
              sparse_columns,
              {statistics.data(), statistics.size()},
              statistics.shape(1)},
        mira_((list_.check(), list_)),
        dense_(dense_weights.data(), dense_weights.data() + dense_weights.size()),
        sparse_(sparse_weights.data(), sparse_weights.data() + sparse_weights.size()),
        dense_correction_(dense_.size()),
        sparse_correction_(sparse_.size()),
        background_(background.data(), background.data() + background.size()) {
    if (dense_.size() != list_.dense_columns || sparse_.size() != sparse_columns ||
        background_.size() != list_.statistics_columns)
      throw nb::value_error("weights and background must fit the columns of the list");
    state_ = {dense_, sparse_, dense_correction_, sparse_correction_, background_};
  }

  void visit(ArrayIn<std::uint32_t> order, double aggressiveness, double decay, double loss_scale,
             ArrayIn<double> lower, ArrayIn<double> upper, ArrayIn<double> mean, ArrayIn<double> strength,
             const nb::object& scores, const std::string& smoothing,
             std::optional<double> smoothing_value, bool effective_order) {
    for (const auto& limit : {lower, upper, mean, strength})
      if (limit.size() != dense_.size()) throw nb::value_error("limits must fit the dense columns");
    const learn::MiraOptions options{aggressiveness, decay,      loss_scale,    view(lower),
                                     view(upper),    view(mean), view(strength)};
    const std::size_t width = list_.statistics_columns;
    learn::MiraScorer scorer;
    if (!scores.is_none()) {
      scorer = [&](const double* rows, std::size_t count, std::span<const double> background, double* found) {
        const nb::gil_scoped_acquire acquired;
        Buffer<double> summed;
        for (std::size_t i = 0; i < count * width; ++i) summed.push_back(rows[i] + background[i % width]);
        const auto result = nb::cast<ArrayIn<double>>(scores(to_numpy(std::move(summed), {count, width})));
        if (result.size() != count) throw nb::value_error("one score per row is expected");
        std::copy_n(result.data(), count, found);
      };
    } else {
      const metric::BleuOptions bleu = bleu_options(smoothing, smoothing_value, effective_order);
      if (width < 4 || width % 2 != 0) throw nb::value_error("these are not statistics of BLEU");
      scorer = [=](const double* rows, std::size_t count, std::span<const double> background, double* found) {
        metric::bleu_scores(std::span<const double>(rows, count * width), background, (width - 2) / 2, bleu, 1, found);
      };
    }
    const nb::gil_scoped_release released;
    mira_.visit(view(order), options, scorer, state_);
  }

  std::tuple<ArrayOut<double>, ArrayOut<double>> weights() const { return {numbers(dense_), numbers(sparse_)}; }

  std::tuple<ArrayOut<double>, ArrayOut<double>> average() const {
    const double steps = std::max<double>(1, static_cast<double>(state_.steps));
    std::vector<double> dense(dense_), sparse(sparse_);
    for (std::size_t k = 0; k < dense.size(); ++k) dense[k] -= dense_correction_[k] / steps;
    for (std::size_t k = 0; k < sparse.size(); ++k) sparse[k] -= sparse_correction_[k] / steps;
    return {numbers(dense), numbers(sparse)};
  }

 private:
  std::vector<nb::object> owners_;
  learn::MiraList list_;
  learn::BatchMira mira_;
  std::vector<double> dense_, sparse_, dense_correction_, sparse_correction_, background_;
  learn::MiraState state_;
};

void bind_batch_mira(nb::module_& module) {
  nb::class_<BoundMira>(module, "BatchMira", "k-best batch MIRA: a list, weights, and their running average.")
      .def(nb::init<ArrayIn<std::int64_t>, MatrixIn<double>, ArrayIn<std::int64_t>, ArrayIn<std::uint32_t>,
                    ArrayIn<float>, std::size_t, MatrixIn<double>, ArrayIn<double>, ArrayIn<double>,
                    ArrayIn<double>>(),
           "sentence_offsets"_a, "dense"_a, "sparse_offsets"_a, "columns"_a, "values"_a, "sparse_columns"_a,
           "statistics"_a, "dense_weights"_a, "sparse_weights"_a, "background"_a)
      .def("visit", &BoundMira::visit, "order"_a, nb::kw_only(), "aggressiveness"_a, "decay"_a, "loss_scale"_a,
           "lower"_a, "upper"_a, "mean"_a, "strength"_a, "scores"_a = nb::none(), "smoothing"_a = "none",
           "smoothing_value"_a = nb::none(), "effective_order"_a = false,
           "Update on these sentences in this order. ``scores`` maps rows of statistics to scores, the higher\n"
           "the better; without it they are statistics of BLEU, scored as ``bleu_scores`` does.")
      .def("weights", &BoundMira::weights, "The current dense and sparse weights.")
      .def("average", &BoundMira::average, "The mean of the weights after every step so far.");
}

}  // namespace

void bind_learn(nb::module_& module) {
  bind_line_search(module);
  bind_batch_mira(module);
  module.def(
      "best_candidates",
      [](ArrayIn<std::int64_t> sentence_offsets, MatrixIn<double> dense, MatrixIn<double> weights) {
        if (weights.shape(1) != dense.shape(1)) throw nb::value_error("one weight per dense column is expected");
        Buffer<std::int64_t> rows;
        {
          const nb::gil_scoped_release released;
          const std::vector<std::int64_t> chosen = learn::best_candidates(
              view(sentence_offsets), {dense.data(), dense.size()}, {weights.data(), weights.size()}, dense.shape(1));
          rows.append(chosen.data(), chosen.size());
        }
        return to_numpy(std::move(rows), {weights.shape(0), sentence_offsets.size() - 1});
      },
      "sentence_offsets"_a, "dense"_a, "weights"_a,
      "The row of the best candidate of every sentence, the first of equals: one line per row of ``weights``.");
  module.def("large_margin_update", &large_margin, "dense"_a, "sparse_offsets"_a, "columns"_a, "values"_a,
             "scores"_a, "oracles"_a, "others"_a, "losses"_a, nb::kw_only(), "aggressiveness"_a,
             "slack_per_pair"_a, "keep"_a, "tolerance"_a, "max_steps"_a,
             "Alphas of the pairs, coefficients of the rows, dual and primal objective, steps taken.\n\n"
             "Row i has the score ``scores[i]`` and must outscore, where it is an oracle, others by the loss.");
}

}  // namespace isogloss::bindings
