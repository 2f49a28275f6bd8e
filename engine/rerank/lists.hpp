#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isogloss::rerank {

/// The candidates of many sentences and their features, as views. Features are compared within a sentence only,
/// so all scores are relative to the sentence's first candidate: a feature with a large offset keeps its
/// precision.
struct Lists {
  std::span<const std::int64_t> sentence_offsets;  ///< candidates of sentence i: [offsets[i], offsets[i + 1])
  std::span<const double> dense;                   ///< candidates × columns, row by row
  std::size_t columns = 0;
  std::span<const std::int64_t> sparse_offsets;  ///< one row per candidate, or empty: no sparse features
  std::span<const std::uint32_t> sparse_columns;
  std::span<const float> sparse_values;
  std::size_t sparse_size = 0;  ///< sparse columns are smaller than this

  std::size_t sentences() const { return sentence_offsets.size() - 1; }
  std::size_t candidates() const { return static_cast<std::size_t>(sentence_offsets.back()); }
  std::size_t begin(std::size_t sentence) const { return static_cast<std::size_t>(sentence_offsets[sentence]); }
  std::size_t end(std::size_t sentence) const { return begin(sentence + 1); }
  bool has_sparse() const { return !sparse_offsets.empty(); }

  /// Throws std::invalid_argument unless all sizes, offsets and columns fit each other.
  void check() const;

  /// Adds Σ_j multipliers[j] · (x_j − x_first) over the candidates of a sentence to the dense part of `sums`.
  void add_dense(std::size_t sentence, std::span<const double> multipliers, std::span<double> sums) const;

  /// Calls `add(column, multipliers[j] · value)` for all sparse features of a sentence's candidates whose
  /// multiplier is not 0.
  template <class Add>
  void for_sparse(std::size_t sentence, std::span<const double> multipliers, Add&& add) const {
    if (!has_sparse()) return;
    for (std::size_t j = 0, row = begin(sentence); j < multipliers.size(); ++j, ++row) {
      if (multipliers[j] == 0) continue;
      const auto to = static_cast<std::size_t>(sparse_offsets[row + 1]);
      for (auto i = static_cast<std::size_t>(sparse_offsets[row]); i < to; ++i)
        add(sparse_columns[i], multipliers[j] * static_cast<double>(sparse_values[i]));
    }
  }

  /// Scores of a sentence's candidates under `weights` (dense columns, then sparse ones), into `scores`.
  void score(std::size_t sentence, std::span<const double> weights, std::span<double> scores) const;
};

}  // namespace isogloss::rerank
