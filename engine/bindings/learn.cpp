#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "learn/large_margin.hpp"
#include "learn/line_search.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace learn;

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
  const FeatureRows rows{{dense.data(), dense.size()}, dense.shape(1), view(sparse_offsets),
                         view(columns),                view(values),   view(scores)};
  const LargeMarginOptions options{aggressiveness, slack_per_pair, keep, tolerance, max_steps};
  LargeMarginUpdate update;
  {
    const nb::gil_scoped_release released;
    rows.check();
    std::vector<MarginPair> pairs(oracles.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i] = {oracles.data()[i], others.data()[i], losses.data()[i]};
    update = large_margin_update(rows, pairs, options);
  }
  return {numbers(update.alphas), numbers(update.coefficients), update.dual, update.primal, update.steps};
}

using Choices = std::tuple<ArrayOut<double>, ArrayOut<double>>;

Choices to_arrays(LineChoices&& choices, std::size_t columns) {
  const std::size_t intervals = choices.thresholds.size() + 1;
  return {to_numpy(std::move(choices.thresholds)), to_numpy(std::move(choices.sums), {intervals, columns})};
}

void bind_line_search(nb::module_& module) {
  nb::class_<LineSearch>(module, "LineSearch",
                         "An n-best list prepared for searches along lines of weights; threads may share it.")
      .def(
          "__init__",
          [](LineSearch* self, ArrayIn<std::int64_t> sentence_offsets, MatrixIn<double> dense,
             MatrixIn<double> statistics) {
            const nb::gil_scoped_release released;
            new (self) LineSearch(view(sentence_offsets), {dense.data(), dense.size()}, dense.shape(1),
                                  {statistics.data(), statistics.size()}, statistics.shape(1));
          },
          "sentence_offsets"_a, "dense"_a, "statistics"_a)
      .def(
          "along_column",
          [](const LineSearch& self, ArrayIn<double> intercepts, std::size_t column) {
            LineChoices choices;
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
          [](const LineSearch& self, ArrayIn<double> intercepts, ArrayIn<double> slopes) {
            LineChoices choices;
            {
              const nb::gil_scoped_release released;
              choices = self.along(view(intercepts), view(slopes));
            }
            return to_arrays(std::move(choices), self.statistics_columns());
          },
          "intercepts"_a, "slopes"_a, "The same along any direction, given by its slope for each candidate.")
      .def(
          "products",
          [](const LineSearch& self, ArrayIn<double> direction) {
            Buffer<double> products;
            {
              const nb::gil_scoped_release released;
              products = self.products(view(direction));
            }
            return to_numpy(std::move(products));
          },
          "direction"_a, "The product of a direction with the dense features of each candidate.");
}

}  // namespace

void bind_learn(nb::module_& module) {
  bind_line_search(module);
  module.def("large_margin_update", &large_margin, "dense"_a, "sparse_offsets"_a, "columns"_a, "values"_a,
             "scores"_a, "oracles"_a, "others"_a, "losses"_a, nb::kw_only(), "aggressiveness"_a,
             "slack_per_pair"_a, "keep"_a, "tolerance"_a, "max_steps"_a,
             "Alphas of the pairs, coefficients of the rows, dual and primal objective, steps taken.\n\n"
             "Row i has the score ``scores[i]`` and must outscore, where it is an oracle, others by the loss.");
}

}  // namespace isogloss::bindings
