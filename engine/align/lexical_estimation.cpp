#include "align/lexical_estimation.hpp"

#include <cmath>

namespace isogloss::align {
namespace {

/// exp(digamma(x)) for x > 0: the digamma function's recurrence up to where its asymptotic series is good
/// to 12 digits.
double exp_digamma(double x) {
  double below = 0;
  for (; x < 7; x += 1) below += 1 / x;
  const double inverse = 1 / x, square = inverse * inverse;
  const double series =
      inverse / 2 + square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
  return x * std::exp(-series - below);
}

/// What a count weighs in an estimate: itself, or what variational Bayes makes of it.
double weight_of(double count, double prior) {
  return prior > 0 ? exp_digamma(count + prior) : count;
}

/// One over the weight of a whole row: probability = weight of a count * this.
double row_factor(double total, double prior, std::uint64_t size) {
  const double mass = total + prior * static_cast<double>(size);
  return mass > 0 ? 1 / (prior > 0 ? exp_digamma(mass) : mass) : 0;
}

}  // namespace

std::vector<double> column_factors(std::span<const std::int64_t> sums, std::span<const std::uint32_t> sizes,
                                   CountScale scale, double prior) {
  std::vector<double> factors(sums.size());
  for (std::size_t column = 0; column < sums.size(); ++column)
    factors[column] = row_factor(scale.count(sums[column]), prior, sizes[column]);
  return factors;
}

void maximize_rows(const LexicalRows& rows, std::size_t begin, std::size_t end,
                   std::span<const double> factors, CountScale scale, double prior, float* probabilities) {
  const bool symmetric = rows.forward.data() == rows.backward.data();
  const double unseen = weight_of(0, prior);
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint64_t first = rows.row_offsets[row], last = rows.row_offsets[row + 1];
    std::int64_t sum = 0;
    for (std::uint64_t entry = first; entry < last; ++entry) sum += rows.forward[entry];
    const double row_share = row_factor(scale.count(sum), prior, last - first);
    for (std::uint64_t entry = first; entry < last; ++entry) {
      // Most counts die out: all those weigh the same.
      const double count = scale.count(rows.forward[entry]);
      const double weight = count < 1e-12 ? unseen : weight_of(count, prior);
      const double other = symmetric ? weight : weight_of(scale.count(rows.backward[entry]), prior);
      probabilities[2 * entry] = static_cast<float>(weight * row_share);
      probabilities[2 * entry + 1] = static_cast<float>(other * factors[rows.columns[entry]]);
    }
  }
}

}  // namespace isogloss::align
