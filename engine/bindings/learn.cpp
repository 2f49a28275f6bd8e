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

}  // namespace

void bind_learn(nb::module_& module) {
  module.def("large_margin_update", &large_margin, "dense"_a, "sparse_offsets"_a, "columns"_a, "values"_a,
             "scores"_a, "oracles"_a, "others"_a, "losses"_a, nb::kw_only(), "aggressiveness"_a,
             "slack_per_pair"_a, "keep"_a, "tolerance"_a, "max_steps"_a,
             "Alphas of the pairs, coefficients of the rows, dual and primal objective, steps taken.\n\n"
             "Row i has the score ``scores[i]`` and must outscore, where it is an oracle, others by the loss.");
}

}  // namespace isogloss::bindings
