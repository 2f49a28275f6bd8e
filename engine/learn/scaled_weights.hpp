#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/sequence_rows.hpp"

namespace isogloss::learn {

/// Weights by column that shrink all at once: w = scale · v, so that a step costs no more than the features it
/// touches. The mean of the weights after every step is kept in the same way.
class ScaledWeights {
 public:
  std::size_t size() const { return values_.size(); }
  void grow(std::size_t columns) {
    if (columns > size()) values_.resize(columns, 0.0), missed_.resize(columns, 0.0);
  }

  double operator[](std::size_t column) const { return scale_ * values_[column]; }
  double product(const SequenceRows::Row& row) const {
    double sum = 0;
    for (std::size_t i = 0; i < row.columns.size(); ++i)
      sum += values_[row.columns[i]] * static_cast<double>(row.values[i]);
    return scale_ * sum;
  }

  /// Multiplies all weights by a factor of 0 < factor <= 1.
  void shrink(double factor);
  void add(std::size_t column, double change) {
    const double value = change / scale_;
    values_[column] += value;
    missed_[column] += value * summed_scale_;
  }
  /// Counts the weights as they are once more in the mean.
  void next_step() {
    summed_scale_ += scale_;
    ++steps_;
  }

  std::size_t steps() const { return steps_; }
  double squared_norm() const;
  std::vector<double> now() const;
  /// Over all steps since the restart; before the first one the weights as they are.
  std::vector<double> mean() const;
  /// Starts from these weights, and the mean anew.
  void restart(std::span<const double> now);
  std::size_t bytes() const { return (values_.capacity() + missed_.capacity()) * sizeof(double); }

 private:
  void fold();

  // The sum of w over all steps is values · summed_scale - missed: what was added later was missing before.
  std::vector<double> values_, missed_;
  double scale_ = 1, summed_scale_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace isogloss::learn
