#include "learn/scaled_weights.hpp"

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

std::vector<double> ScaledWeights::mean() const {
  if (steps_ == 0) return now();
  std::vector<double> out(size());
  for (std::size_t i = 0; i < size(); ++i)
    out[i] = (values_[i] * summed_scale_ - missed_[i]) / static_cast<double>(steps_);
  return out;
}

void ScaledWeights::restart(std::span<const double> now) {
  values_.assign(now.begin(), now.end());
  missed_.assign(now.size(), 0.0);
  scale_ = 1;
  summed_scale_ = 0;
  steps_ = 0;
}

}  // namespace isogloss::learn
