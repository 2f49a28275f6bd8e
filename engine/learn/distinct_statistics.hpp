#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isogloss::learn {

/// Statistics of an n-best list without repetition: many candidates of a sentence have the same words.
struct DistinctStatistics {
  std::vector<std::uint32_t> kinds;    ///< of every candidate: its row of `rows`
  std::vector<std::uint32_t> offsets;  ///< of every sentence: its rows of `rows`
  std::vector<double> rows;            ///< each sentence's by rising value
};

/// `sentence_offsets` must fit `statistics`, which has `columns` numbers per candidate.
DistinctStatistics distinct_statistics(std::span<const std::int64_t> sentence_offsets,
                                       std::span<const double> statistics, std::size_t columns);

/// Throws std::invalid_argument unless all numbers are finite.
void check_finite(std::span<const double> numbers, const char* what);

}  // namespace isogloss::learn
