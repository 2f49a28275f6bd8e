// k-best batch MIRA (Cherry and Foster 2012): passes over an n-best list, one small update per sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/distinct_statistics.hpp"

namespace isogloss::learn {

/// An n-best list with features and statistics; candidates lie sentence by sentence.
struct MiraList {
  std::span<const std::int64_t> sentence_offsets;
  std::span<const double> dense;                 ///< row after row, `dense_columns` numbers each
  std::size_t dense_columns = 0;
  std::span<const std::int64_t> sparse_offsets;  ///< one more than there are candidates
  std::span<const std::uint32_t> columns;        ///< of the sparse features, rising within a row
  std::span<const float> values;
  std::size_t sparse_columns = 0;
  std::span<const double> statistics;            ///< row after row, `statistics_columns` numbers each
  std::size_t statistics_columns = 0;

  std::size_t candidates() const { return statistics.size() / statistics_columns; }
  /// Throws std::invalid_argument unless all sizes, offsets and columns fit together, no sentence is empty
  /// and all numbers are finite.
  void check() const;
};

struct MiraOptions {
  double aggressiveness = 0.01;  ///< C: the largest step
  double decay = 0.999;          ///< of the pseudo-corpus, per sentence
  double loss_scale = 1;         ///< a loss is this times the sentences of the pseudo-corpus times scores
  /// Constraints of dense weights, one number per column each.
  std::span<const double> lower, upper, mean, strength;
};

/// What is carried from sentence to sentence.
struct MiraState {
  std::span<double> dense, sparse;                            ///< weights
  std::span<double> dense_correction, sparse_correction;      ///< zero at first; see `average`
  std::span<double> background;                               ///< statistics of the pseudo-corpus
  double sentences = 1;                                       ///< in the pseudo-corpus
  std::int64_t steps = 0;                                     ///< sentences seen
};
// The average of the weights after each step is weights - correction / steps: an update in step k was missing
// from the k - 1 vectors before it, and only the features of an update cost time.

/// Scores of documents: `count` rows of statistics, each added to `background`; the higher the better.
using MiraScorer = std::function<void(const double* rows, std::size_t count, std::span<const double> background,
                                      double* scores)>;

/// Visits the sentences of `order`, in that order. In each, hope is the candidate with the highest model score
/// plus worth, fear the one with the highest model score minus worth, where the worth of a candidate is what
/// the pseudo-corpus scores with it; hope must outscore fear by the difference of their worths. The
/// pseudo-corpus then takes hope in.
class BatchMira {
 public:
  /// The list's arrays must outlive this object and have passed `check`.
  explicit BatchMira(const MiraList& list);

  void visit(std::span<const std::uint32_t> order, const MiraOptions& options, const MiraScorer& scorer,
             MiraState& state) const;

 private:
  struct Scratch;
  void step(std::size_t sentence, const MiraOptions& options, const MiraScorer& scorer, MiraState& state,
            Scratch& scratch) const;
  void update(std::size_t hope, std::size_t fear, double loss, double margin, const MiraOptions& options,
              MiraState& state, Scratch& scratch) const;

  MiraList list_;
  DistinctStatistics distinct_;
};

}  // namespace isogloss::learn
