#include "learn/distinct_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace isogloss::learn {

DistinctStatistics distinct_statistics(std::span<const std::int64_t> sentence_offsets,
                                       std::span<const double> statistics, std::size_t columns) {
  DistinctStatistics distinct;
  distinct.kinds.resize(statistics.size() / columns);
  distinct.offsets.push_back(0);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    const double* x = statistics.data() + a * columns;
    const double* y = statistics.data() + b * columns;
    return std::lexicographical_compare(x, x + columns, y, y + columns);
  };
  std::vector<std::uint32_t> sorted;
  for (std::size_t sentence = 0; sentence + 1 < sentence_offsets.size(); ++sentence) {
    sorted.resize(static_cast<std::size_t>(sentence_offsets[sentence + 1] - sentence_offsets[sentence]));
    std::iota(sorted.begin(), sorted.end(), static_cast<std::uint32_t>(sentence_offsets[sentence]));
    std::sort(sorted.begin(), sorted.end(), less);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || less(sorted[i - 1], sorted[i])) {
        const double* row = statistics.data() + sorted[i] * columns;
        distinct.rows.insert(distinct.rows.end(), row, row + columns);
      }
      distinct.kinds[sorted[i]] = static_cast<std::uint32_t>(distinct.rows.size() / columns - 1);
    }
    distinct.offsets.push_back(static_cast<std::uint32_t>(distinct.rows.size() / columns));
  }
  return distinct;
}

void check_finite(std::span<const double> numbers, const char* what) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    throw std::invalid_argument(std::string(what) + " must be finite numbers");
}

}  // namespace isogloss::learn
