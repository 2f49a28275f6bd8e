// What the paths of a search graph have in common, under P(path) ∝ exp(scale · score).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graph.hpp"
#include "search/options.hpp"

namespace isogloss::search {

/// Forward and backward sums over all paths, as logarithms; minus infinity where no path goes.
struct PathSums {
  double scale;
  std::vector<double> before;  ///< by node: of all ways from the start to it
  std::vector<double> after;   ///< by node: of all ways from it to the goal
  double total;                ///< of all paths

  /// Probability that a path takes an arc to `node`.
  double probability(const Arc& arc, std::uint32_t node) const;
};

/// `scale` must be finite. A graph without a goal has no paths.
PathSums sum_paths(const Graph& graph, double scale);

/// Probability that a derivation uses an option at a match; those that no path uses are not listed.
struct StepPosterior {
  std::uint32_t arc;  ///< one of the arcs that do so
  double probability;
};
/// The most probable first.
std::vector<StepPosterior> step_posteriors(const Graph& graph, const PathSums& sums);

/// N-grams of all lengths from 1 to some order, and how often each is expected in a translation.
struct NgramPosteriors {
  std::vector<std::uint32_t> words;  ///< of all n-grams, consecutively
  std::vector<std::size_t> ends;     ///< where each ends
  std::vector<double> expected;
};

/// `numbers` has for every word of `options` a number that is the same for words that read the same. Exact: n-grams
/// across the borders of rules are followed through the graph.
NgramPosteriors ngram_posteriors(const Graph& graph, const PathSums& sums, const Options& options,
                                 std::span<const std::uint32_t> numbers, std::size_t order);

}  // namespace isogloss::search
