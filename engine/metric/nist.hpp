// NIST (Doddington 2002) as mteval-v13a computes it, as statistics per candidate that can be summed.
#pragma once

#include <cstddef>

#include "metric/segments.hpp"

namespace isogloss::metric {

/// Numbers per candidate: length, mean reference length, information of matched n-grams for n = 1..,
/// n-grams there are.
constexpr std::size_t nist_columns(std::size_t order) { return 2 + 2 * order; }

/// Writes one row of nist_columns(order) numbers per candidate, as bleu_statistics does.
///
/// The information of an n-gram is log2 of how often its first n-1 words stand in all references of all
/// sentences, divided by how often the whole does. It is given for each match, as often as the n-gram
/// stands in the candidate but no more often than in the reference that has it most. Both sides must have
/// passed check_segments; 1 <= order <= kMaxNgramOrder. Deterministic whatever `threads` is.
void nist_statistics(const Segments& candidates, const Segments& references, std::size_t order,
                     std::size_t threads, double* rows);

}  // namespace isogloss::metric
