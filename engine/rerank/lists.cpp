#include "rerank/lists.hpp"

#include <stdexcept>

#include "base/offsets.hpp"

namespace isogloss::rerank {

void Lists::check() const {
  if (sentence_offsets.empty()) throw std::invalid_argument("sentences: no offsets");
  const std::size_t rows = columns == 0 ? candidates() : dense.size() / columns;
  check_offsets(sentence_offsets, sentence_offsets.size() - 1, rows, "sentences");
  if (dense.size() != rows * columns) throw std::invalid_argument("dense features: not a whole number of rows");
  if (!has_sparse()) return;
  check_offsets(sparse_offsets, rows, sparse_columns.size(), "sparse features");
  if (sparse_values.size() != sparse_columns.size())
    throw std::invalid_argument("sparse features: values and columns differ in number");
  std::uint32_t largest = 0;
  for (const std::uint32_t column : sparse_columns) largest = column > largest ? column : largest;
  if (!sparse_columns.empty() && largest >= sparse_size)
    throw std::invalid_argument("sparse features: a column that does not exist");
}

void Lists::add_dense(std::size_t sentence, std::span<const double> multipliers, std::span<double> sums) const {
  const double* const base = dense.data() + begin(sentence) * columns;
  for (std::size_t j = 0; j < multipliers.size(); ++j) {
    const double u = multipliers[j];
    if (u == 0) continue;
    const double* const values = base + j * columns;
    for (std::size_t c = 0; c < columns; ++c) sums[c] += u * (values[c] - base[c]);
  }
}

void Lists::score(std::size_t sentence, std::span<const double> weights, std::span<double> scores) const {
  const std::size_t first = begin(sentence), last = end(sentence);
  const double* const base = dense.data() + first * columns;
  const double* const sparse_weights = weights.data() + columns;
  double sparse_base = 0;
  for (std::size_t row = first; row < last; ++row) {
    const double* const values = dense.data() + row * columns;
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += weights[c] * (values[c] - base[c]);
    if (has_sparse()) {
      double fired = 0;
      const auto from = static_cast<std::size_t>(sparse_offsets[row]);
      const auto to = static_cast<std::size_t>(sparse_offsets[row + 1]);
      for (std::size_t i = from; i < to; ++i)
        fired += sparse_weights[sparse_columns[i]] * static_cast<double>(sparse_values[i]);
      if (row == first) sparse_base = fired;
      sum += fired - sparse_base;
    }
    scores[row - first] = sum;
  }
}

}  // namespace isogloss::rerank
