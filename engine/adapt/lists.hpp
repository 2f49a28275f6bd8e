// The candidate lists that local weights are trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isogloss::adapt {

/// Candidates of the examples: one row of features each, those of an example together. Dense features come first
/// in every weight vector, then the sparse ones.
struct CandidateLists {
  std::span<const std::int64_t> offsets;  ///< candidates of example j: rows `offsets[j]` up to the next
  std::span<const double> dense;          ///< rows × dense_size
  std::size_t dense_size = 0;
  std::span<const std::int64_t> sparse_offsets;   ///< empty if there are no sparse features
  std::span<const std::uint32_t> sparse_columns;  ///< rising within a row
  std::span<const float> sparse_values;
  std::size_t sparse_size = 0;
  std::span<const double> constants;  ///< what no weight here changes of each row's score; may be empty

  std::size_t examples() const { return offsets.size() - 1; }
  std::size_t rows() const { return static_cast<std::size_t>(offsets.back()); }
  std::size_t features() const { return dense_size + sparse_size; }

  /// Throws std::invalid_argument if the parts do not fit together; all else relies on it.
  void check() const;

  /// The score of a row.
  double dot(std::size_t row, const double* weights) const {
    const double* values = dense.data() + row * dense_size;
    // Four sums that do not wait for each other: the compiler may not reorder one.
    double sums[4] = {constants.empty() ? 0.0 : constants[row], 0.0, 0.0, 0.0};
    std::size_t i = 0;
    for (; i + 4 <= dense_size; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k] * weights[i + k];
    for (; i < dense_size; ++i) sums[0] += values[i] * weights[i];
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (sparse_size == 0) return sum;
    for (auto at = sparse_offsets[row]; at < sparse_offsets[row + 1]; ++at) {
      const auto k = static_cast<std::size_t>(at);
      sum += static_cast<double>(sparse_values[k]) * weights[dense_size + sparse_columns[k]];
    }
    return sum;
  }

  /// weights += scale · row
  void add(std::size_t row, double scale, double* weights) const {
    const double* values = dense.data() + row * dense_size;
    for (std::size_t i = 0; i < dense_size; ++i) weights[i] += scale * values[i];
    if (sparse_size == 0) return;
    for (auto at = sparse_offsets[row]; at < sparse_offsets[row + 1]; ++at) {
      const auto k = static_cast<std::size_t>(at);
      weights[dense_size + sparse_columns[k]] += scale * static_cast<double>(sparse_values[k]);
    }
  }

  /// Squared distance of two rows.
  double distance(std::size_t a, std::size_t b) const;
};

}  // namespace isogloss::adapt
