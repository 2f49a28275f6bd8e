#include "adapt/expected_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "metric/bleu.hpp"
#include "metric/reference_ngrams.hpp"

namespace isogloss::adapt {
namespace {

using Counts = std::array<double, metric::bleu_columns(metric::kMaxNgramOrder)>;

constexpr double kNoMatch = 1e-6;  // words in place of none that match: the logarithm stays finite

/// The brevity penalty's edge is blurred by this share of the length, as if the length were known no better: to be too
/// short costs more than to be too long, so whoever aims at the edge itself loses.
constexpr double kBlur = 0.03;

/// BLEU of counts and its derivative by each of them.
double bleu_with_slopes(const Counts& counts, std::size_t order, Counts& slopes) {
  slopes.fill(0.0);
  const double length = counts[0], reference = counts[1];
  if (length <= 0) return 0;
  double log_sum = 0;
  for (std::size_t n = 0; n < order; ++n) {
    const double added = n == 0 ? 0.0 : 1.0;
    const double matched = std::max(counts[2 + n] + added, kNoMatch), total = counts[2 + order + n] + added;
    log_sum += std::log(matched / total);
    if (matched > kNoMatch) slopes[2 + n] = 1 / (matched * static_cast<double>(order));
    slopes[2 + order + n] = -1 / (total * static_cast<double>(order));
  }
  const double lacking = reference / length - 1, blurred = lacking / kBlur;
  const double penalty = blurred > 30 ? lacking : kBlur * std::log1p(std::exp(blurred));
  const double rise = 1 / (1 + std::exp(-blurred));  // of the penalty with what is lacking
  slopes[0] = rise * reference / (length * length);
  slopes[1] = -rise / length;
  const double bleu = std::exp(log_sum / static_cast<double>(order) - penalty);
  for (double& slope : slopes) slope *= bleu;
  return bleu;
}

}  // namespace

double ExpectedError::at(std::span<const std::int64_t> offsets, std::span<const double> strengths,
                         std::span<const double> probabilities, std::span<double> slopes) const {
  double loss = 0;
  for (std::size_t j = 0; j < strengths.size(); ++j) {
    if (strengths[j] == 0) continue;
    for (auto row = static_cast<std::size_t>(offsets[j]); row < static_cast<std::size_t>(offsets[j + 1]); ++row) {
      slopes[row] = strengths[j] * errors_[row];
      loss += slopes[row] * probabilities[row];
    }
  }
  return loss;
}

ExpectedBleu::ExpectedBleu(std::span<const std::int32_t> statistics, std::size_t order)
    : statistics_(statistics), order_(order) {
  if (order < 1 || order > metric::kMaxNgramOrder || statistics.size() % metric::bleu_columns(order) != 0)
    throw std::invalid_argument("statistics of BLEU have 2 + 2·order columns");
}

std::size_t ExpectedBleu::rows() const { return statistics_.size() / metric::bleu_columns(order_); }

double ExpectedBleu::at(std::span<const std::int64_t> offsets, std::span<const double> strengths,
                        std::span<const double> probabilities, std::span<double> slopes) const {
  const double whole = std::accumulate(strengths.begin(), strengths.end(), 0.0);
  if (whole == 0) {
    std::fill(slopes.begin(), slopes.end(), 0.0);
    return 0;
  }
  const std::size_t columns = metric::bleu_columns(order_);
  const double per_strength = static_cast<double>(strengths.size()) / whole;
  Counts expected{}, by_count;
  for (std::size_t j = 0; j < strengths.size(); ++j) {
    if (strengths[j] == 0) continue;
    for (auto row = static_cast<std::size_t>(offsets[j]); row < static_cast<std::size_t>(offsets[j + 1]); ++row) {
      const double share = per_strength * strengths[j] * probabilities[row];
      if (share < 1e-12) continue;
      for (std::size_t k = 0; k < columns; ++k) expected[k] += share * statistics_[row * columns + k];
    }
  }
  const double bleu = bleu_with_slopes(expected, order_, by_count);
  for (std::size_t j = 0; j < strengths.size(); ++j) {
    if (strengths[j] == 0) continue;
    const double scale = -whole * per_strength * strengths[j];
    for (auto row = static_cast<std::size_t>(offsets[j]); row < static_cast<std::size_t>(offsets[j + 1]); ++row) {
      double slope = 0;
      for (std::size_t k = 0; k < columns; ++k) slope += by_count[k] * statistics_[row * columns + k];
      slopes[row] = scale * slope;
    }
  }
  return -whole * bleu;
}

}  // namespace isogloss::adapt
