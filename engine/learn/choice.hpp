#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isogloss::learn {

/// For each of several weight vectors, the candidate of each sentence with the highest score; the first of equals. The
/// result has the rows of the first vector, then those of the second, and so on. `dense` has a row of `columns` numbers
/// for each candidate, `weights` one for each vector. A list is read once for all vectors.
/// Throws std::invalid_argument for sizes that do not fit, or a sentence without candidates.
std::vector<std::int64_t> best_candidates(std::span<const std::int64_t> sentence_offsets, std::span<const double> dense,
                                          std::span<const double> weights, std::size_t columns);

}  // namespace isogloss::learn
