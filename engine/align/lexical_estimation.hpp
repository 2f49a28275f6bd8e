#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/word.hpp"

namespace isogloss::align {

/// Expected counts in fixed point. Sums of whole numbers are exact, so they depend neither on the order of
/// sentence pairs nor on how a corpus is cut into shards.
class CountScale {
 public:
  /// As fine as can be where no sum exceeds `most`.
  explicit CountScale(double most)
      : bits_(std::clamp(61 - std::ilogb(std::max(most, 1.0)), 0, 61)), scale_(std::ldexp(1.0, bits_)) {}

  /// `count` must not be negative.
  std::int64_t fixed(double count) const { return static_cast<std::int64_t>(count * scale_ + 0.5); }
  double count(std::int64_t fixed) const { return static_cast<double>(fixed) / scale_; }

 private:
  int bits_;
  double scale_;
};

/// Rows of a table of co-occurring words with what was counted. Without a symmetric lexicon the directions
/// have counts of their own; otherwise both spans are the same.
struct LexicalRows {
  std::span<const std::uint64_t> row_offsets;  ///< one more than rows
  std::span<const WordId> columns;
  std::span<const std::int64_t> forward, backward;
};

/// Makes one factor of each column from its sum: probability = weight of a count * factor. `sizes` are the
/// entries of each column, `prior` the Dirichlet prior per entry (0 is maximum likelihood).
std::vector<double> column_factors(std::span<const std::int64_t> sums, std::span<const std::uint32_t> sizes,
                                   CountScale scale, double prior);

/// Writes the probabilities of the rows [begin, end), two per entry: forward and backward.
void maximize_rows(const LexicalRows& rows, std::size_t begin, std::size_t end,
                   std::span<const double> factors, CountScale scale, double prior, float* probabilities);

}  // namespace isogloss::align
