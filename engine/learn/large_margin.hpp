// One update of online large-margin training (Watanabe et al. 2007, equation 4): how far to move the weights
// so that every oracle outscores every other candidate by its loss, or nearly so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isogloss::learn {

/// The candidates that take part in an update, oracles and others alike: features h and scores w·h.
struct FeatureRows {
  std::span<const double> dense;                ///< row after row, `dense_columns` numbers each
  std::size_t dense_columns = 0;
  std::span<const std::int64_t> sparse_offsets;  ///< one more than there are rows
  std::span<const std::uint32_t> columns;       ///< of the sparse features, each at most once per row
  std::span<const float> values;                ///< parallel to `columns`
  std::span<const double> scores;               ///< under the weights before the update

  std::size_t size() const { return scores.size(); }
  /// Throws std::invalid_argument unless all sizes and offsets fit together and all numbers are finite.
  void check() const;
};

/// "`oracle` must outscore `other` by `loss`"; both are numbers of rows.
struct MarginPair {
  std::uint32_t oracle = 0;
  std::uint32_t other = 0;
  double loss = 0;
};

struct LargeMarginOptions {
  /// C: how much one violated margin may move the weights.
  double aggressiveness = 0.01;
  /// A slack for every pair (0 <= alpha <= C) instead of one for the sentence (sum of alphas <= C).
  bool slack_per_pair = false;
  /// Also take pairs whose loss is not positive. Pairs of equal features never take part.
  bool keep = false;
  /// Stop when the duality gap is at most this part of the primal objective.
  double tolerance = 1e-8;
  /// Stop anyway after this many steps; a step changes one or two alphas.
  std::size_t max_steps = 100000;
};

/// The new weights are w + sum over rows of coefficient * h.
struct LargeMarginUpdate {
  std::vector<double> alphas;        ///< one per pair
  std::vector<double> coefficients;  ///< one per row
  double dual = 0;                   ///< -1/2 |sum alpha dh|^2 + sum alpha (loss - w·dh)
  double primal = 0;                 ///< 1/2 |w' - w|^2 + C * (slack, or sum of slacks)
  std::size_t steps = 0;
};

/// Maximizes the dual by coordinate ascent on the Gram matrix of the rows: one alpha at a time, and where
/// their sum is bounded, two at a time, moving mass from one to the other; now and then conjugate gradients
/// among all alphas that are at no bound. Costs one pass over the sparse features and O(rows + pairs) per step. Throws std::invalid_argument for a pair of rows that do not exist.
LargeMarginUpdate large_margin_update(const FeatureRows& rows, std::span<const MarginPair> pairs,
                                      const LargeMarginOptions& options);

}  // namespace isogloss::learn
