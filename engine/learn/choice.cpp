#include "learn/choice.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/offsets.hpp"

namespace isogloss::learn {

std::vector<std::int64_t> best_candidates(std::span<const std::int64_t> sentence_offsets, std::span<const double> dense,
                                          std::span<const double> weights, std::size_t columns) {
  if (sentence_offsets.empty() || columns == 0 || dense.size() % columns != 0 || weights.size() % columns != 0)
    throw std::invalid_argument("candidates and weights must have the same columns");
  const std::size_t sentences = sentence_offsets.size() - 1, vectors = weights.size() / columns;
  check_offsets(sentence_offsets, sentences, dense.size() / columns, "sentences");
  std::vector<double> by_column(weights.size());  // all vectors' weights of a column side by side
  for (std::size_t i = 0; i < vectors; ++i)
    for (std::size_t k = 0; k < columns; ++k) by_column[k * vectors + i] = weights[i * columns + k];

  std::vector<std::int64_t> chosen(vectors * sentences);
  std::vector<double> scores(vectors), highest(vectors);
  std::vector<std::int64_t> best(vectors);
  for (std::size_t sentence = 0; sentence < sentences; ++sentence) {
    const std::int64_t begin = sentence_offsets[sentence], end = sentence_offsets[sentence + 1];
    if (begin == end) throw std::invalid_argument("a sentence has no candidates");
    for (std::int64_t row = begin; row < end; ++row) {
      const double* values = dense.data() + static_cast<std::size_t>(row) * columns;
      std::ranges::fill(scores, 0.0);
      for (std::size_t k = 0; k < columns; ++k) {
        if (values[k] == 0) continue;
        const double* own = by_column.data() + k * vectors;
        for (std::size_t i = 0; i < vectors; ++i) scores[i] += values[k] * own[i];
      }
      for (std::size_t i = 0; i < vectors; ++i) {
        const bool better = row == begin || scores[i] > highest[i];
        highest[i] = better ? scores[i] : highest[i];
        best[i] = better ? row : best[i];
      }
    }
    for (std::size_t i = 0; i < vectors; ++i) chosen[i * sentences + sentence] = best[i];
  }
  return chosen;
}

}  // namespace isogloss::learn
