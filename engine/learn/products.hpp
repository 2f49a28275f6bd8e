#pragma once

#include <cstddef>
#include <span>

namespace isogloss::learn {

/// Writes the product of `weights` with each of `count` rows, which lie one after the other. Every sum is in the order
/// of the columns; four rows at a time, so that no sum waits for another.
inline void products(const double* rows, std::size_t count, std::span<const double> weights, double* out) {
  const std::size_t width = weights.size();
  std::size_t row = 0;
  for (; row + 4 <= count; row += 4) {
    const double* a = rows + row * width;
    const double* b = a + width;
    const double* c = b + width;
    const double* d = c + width;
    double first = 0, second = 0, third = 0, fourth = 0;
    for (std::size_t k = 0; k < width; ++k) {
      first += weights[k] * a[k];
      second += weights[k] * b[k];
      third += weights[k] * c[k];
      fourth += weights[k] * d[k];
    }
    out[row] = first, out[row + 1] = second, out[row + 2] = third, out[row + 3] = fourth;
  }
  for (; row < count; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < width; ++k) sum += weights[k] * rows[row * width + k];
    out[row] = sum;
  }
}

}  // namespace isogloss::learn
