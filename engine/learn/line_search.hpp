// What minimum error rate training asks of an n-best list (Och 2003): along a line of weights, which
// candidates are chosen where, and what statistics they have together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "learn/distinct_statistics.hpp"

namespace isogloss::learn {

/// The choices along a line. Between two neighboring thresholds they stay the same.
struct LineChoices {
  Buffer<double> thresholds;  ///< rising
  Buffer<double> sums;        ///< one row of statistics per interval, one more than there are thresholds
};

/// An n-best list prepared for line searches. Candidates lie sentence by sentence.
///
/// Along a line `w + t * d` the score of a candidate is `intercept + t * slope`, and the best candidate for
/// every t is the upper envelope of the sentence's lines. Sorting by slope is done once for every dense column,
/// so that a search along one weight costs one pass over the candidates.
/// Read-only after construction: many threads may search at once.
class LineSearch {
 public:
  /// `dense` and `statistics` have one row per candidate. Throws std::invalid_argument unless all sizes and
  /// offsets fit together, no sentence is empty and all numbers are finite.
  LineSearch(std::span<const std::int64_t> sentence_offsets, std::span<const double> dense,
             std::size_t dense_columns, std::span<const double> statistics, std::size_t statistics_columns);

  std::size_t candidates() const { return distinct_.kinds.size(); }
  std::size_t dense_columns() const { return dense_columns_; }
  std::size_t statistics_columns() const { return statistics_columns_; }

  /// Along the weight of one dense column; `intercepts` are the scores of the candidates at t = 0.
  LineChoices along_column(std::span<const double> intercepts, std::size_t column) const;
  /// Along any direction: `slopes` are its products with the features of the candidates.
  LineChoices along(std::span<const double> intercepts, std::span<const double> slopes) const;
  /// What a direction gives every candidate: its slopes, or for weights its score.
  Buffer<double> products(std::span<const double> direction) const;

 private:
  struct Line {
    double begin;  // where it becomes the best
    double intercept, slope;
    std::uint32_t row;
  };
  struct Change {
    double at;
    std::uint32_t from, to;  // rows of distinct statistics
  };

  template <class Order>
  LineChoices sweep(std::span<const double> intercepts, const double* slopes, Order&& order) const;

  std::vector<std::uint32_t> sentence_offsets_;
  std::size_t dense_columns_, statistics_columns_;
  std::vector<double> columns_;       // dense features, column after column
  std::vector<std::uint32_t> orders_; // for every column and sentence: its rows by rising value
  DistinctStatistics distinct_;
};

}  // namespace isogloss::learn
