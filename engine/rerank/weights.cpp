#include "rerank/weights.hpp"

#include <stdexcept>

namespace isogloss::rerank {

Weights::Weights(std::vector<double> start, std::size_t columns, std::vector<double> rates)
    : columns_(columns), current_(std::move(start)), late_(current_.size()), rates_(std::move(rates)) {
  if (current_.size() < columns || rates_.size() != columns + 1)
    throw std::invalid_argument("weights: one rate per dense column and one for sparse columns is expected");
}

void Weights::add(const Lists& lists, std::size_t sentence, std::span<const double> multipliers) {
  const std::size_t first = lists.begin(sentence);
  const double* const base = lists.dense.data() + first * columns_;
  summed_.assign(columns_, 0.0);
  for (std::size_t j = 0; j < multipliers.size(); ++j) {
    const double u = multipliers[j];
    if (u == 0) continue;
    const double* const values = lists.dense.data() + (first + j) * columns_;
    for (std::size_t c = 0; c < columns_; ++c) summed_[c] += u * (values[c] - base[c]);
    if (!lists.has_sparse()) continue;
    const double step = u * rates_[columns_];
    const auto to = static_cast<std::size_t>(lists.sparse_offsets[first + j + 1]);
    for (auto i = static_cast<std::size_t>(lists.sparse_offsets[first + j]); i < to; ++i)
      change(columns_ + lists.sparse_columns[i], step * static_cast<double>(lists.sparse_values[i]));
  }
  for (std::size_t c = 0; c < columns_; ++c) change(c, summed_[c] * rates_[c]);
}

std::vector<double> Weights::average() const {
  std::vector<double> mean = current_;
  if (steps_ == 0) return mean;
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] -= late_[i] / static_cast<double>(steps_);
  return mean;
}

}  // namespace isogloss::rerank
