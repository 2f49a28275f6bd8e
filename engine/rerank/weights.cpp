#include "rerank/weights.hpp"

#include <stdexcept>

namespace isogloss::rerank {

Weights::Weights(std::vector<double> start, std::size_t columns, std::vector<double> rates)
    : columns_(columns), current_(std::move(start)), late_(current_.size()), rates_(std::move(rates)) {
  if (current_.size() < columns || rates_.size() != columns + 1)
    throw std::invalid_argument("weights: one rate per dense column and one for sparse columns is expected");
}

void Weights::add(const Lists& lists, std::size_t sentence, std::span<const double> multipliers) {
  summed_.assign(columns_, 0.0);
  lists.add_dense(sentence, multipliers, summed_);
  for (std::size_t c = 0; c < columns_; ++c) change(c, summed_[c] * rates_[c]);
  const double rate = rates_[columns_];
  lists.for_sparse(sentence, multipliers,
                   [&](std::uint32_t column, double value) { change(columns_ + column, rate * value); });
}

std::vector<double> Weights::average() const {
  std::vector<double> mean = current_;
  if (steps_ == 0) return mean;
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] -= late_[i] / static_cast<double>(steps_);
  return mean;
}

}  // namespace isogloss::rerank
