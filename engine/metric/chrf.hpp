// chrF (Popović 2015): statistics per candidate, equal to sacreBLEU's on the same characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metric/segments.hpp"

namespace isogloss::metric {

/// Numbers per candidate: for each n = 1.. the n-grams of the candidate, of the reference, and in both.
constexpr std::size_t chrf_columns(std::size_t order) { return 3 * order; }

/// chrF with β = 2 in 0..1 of one row of statistics: the mean of precisions and recalls over the orders that both
/// sides have.
template <class Count>
double chrf_score(std::span<const Count> row) {
  double precision = 0, recall = 0, orders = 0;
  for (std::size_t i = 0; i + 2 < row.size(); i += 3) {
    if (row[i] <= 0 || row[i + 1] <= 0) continue;
    precision += static_cast<double>(row[i + 2]) / static_cast<double>(row[i]);
    recall += static_cast<double>(row[i + 2]) / static_cast<double>(row[i + 1]);
    ++orders;
  }
  if (orders == 0) return 0;
  precision /= orders;
  recall /= orders;
  return precision + recall > 0 ? 5 * precision * recall / (4 * precision + recall) : 0;
}

/// Writes one row of chrf_columns(order) numbers per candidate. The tokens are characters without whitespace. With
/// several references, that of the highest score counts, the first of equal ones. Both sides must have passed
/// check_segments; 1 <= order <= kMaxNgramOrder. Deterministic whatever `threads` is.
void chrf_statistics(const Segments& candidates, const Segments& references, std::size_t order, std::size_t threads,
                     std::int32_t* rows);

}  // namespace isogloss::metric
