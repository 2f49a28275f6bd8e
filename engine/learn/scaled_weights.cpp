#include "learn/scaled_weights.hpp"

#include <stdexcept>

namespace isogloss::learn {
namespace {

constexpr double kSmallest = 1e-6;  // smaller scales cost precision

}  // namespace

void ScaledWeights::shrink(double factor) {
  scale_ *= factor;
  if (scale_ < kSmallest) fold();
}

void ScaledWeights::fold() {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    missed_[i] -= values_[i] * summed_scale_;
    values_[i] *= scale_;
  }
  scale_ = 1;
  summed_scale_ = 0;
}

double ScaledWeights::squared_norm() const {
  double sum = 0;
  for (double value : values_) sum += value * value;
  return scale_ * scale_ * sum;
}

std::vector<double> ScaledWeights::now() const {
  std::vector<double> out(size());
  for (std::size_t i = 0; i < size(); ++i) out[i] = scale_ * values_[i];
  return out;
}

std::vector<double> ScaledWeights::sums() const {
  std::vector<double> out(size());
  for (std::size_t i = 0; i < size(); ++i) out[i] = values_[i] * summed_scale_ - missed_[i];
  return out;
}

void ScaledWeights::restore(std::span<const double> now, std::span<const double> sums, std::size_t steps) {
  if (now.size() != sums.size()) throw std::invalid_argument("as many sums as weights are expected");
  values_.assign(now.begin(), now.end());
  missed_.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) missed_[i] = -sums[i];
  scale_ = 1;
  summed_scale_ = 0;
  steps_ = steps;
}

}  // namespace isogloss::learn
