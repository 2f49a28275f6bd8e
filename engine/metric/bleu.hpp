// BLEU (Papineni et al. 2002) in two steps, statistics per candidate and scores from statistics, both
// equal to sacreBLEU's on the same tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metric/segments.hpp"

namespace isogloss::metric {

/// Which reference length a candidate is held against when a sentence has several references.
enum class ReferenceLength {
  kClosest,   ///< closest to the candidate's; of two equally close ones the shorter
  kShortest,
  kAverage,   ///< the mean, rounded to whole tokens, halves upward
};

/// Numbers per candidate: length, reference length, n-grams matched for n = 1.., n-grams there are.
constexpr std::size_t bleu_columns(std::size_t order) { return 2 + 2 * order; }

/// Writes one row of bleu_columns(order) numbers per candidate, in the order of the candidates of
/// `candidates.sentence_offsets`; rows of sequences that belong to no sentence are left alone. Both sides
/// must have passed check_segments; 1 <= order <= kMaxNgramOrder. Deterministic whatever `threads` is.
void bleu_statistics(const Segments& candidates, const Segments& references, std::size_t order,
                     ReferenceLength length, std::size_t threads, std::int32_t* rows);

/// What stands in for a precision of zero. Names and formulas are sacreBLEU's.
enum class BleuSmoothing {
  kNone,
  kExponential,  ///< halves from order to order that has no match (mteval-v13a)
  kFloor,        ///< `smoothing_value` matches where there is none
  kAddK,         ///< `smoothing_value` added to matches and totals of all orders above 1
};

struct BleuOptions {
  BleuSmoothing smoothing = BleuSmoothing::kNone;
  double smoothing_value = 0;    ///< of kFloor and kAddK
  bool effective_order = false;  ///< leave out orders longer than the candidate
};

/// BLEU in 0..1 of each row of `statistics` (bleu_columns(order) columns), with `background` added to the
/// row first if it is not empty: the score of a document in which the row takes a sentence's place.
/// Without any match the score is 0 under every smoothing.
template <class Count>
void bleu_scores(std::span<const Count> statistics, std::span<const double> background, std::size_t order,
                 const BleuOptions& options, std::size_t threads, double* scores);

extern template void bleu_scores(std::span<const std::int32_t>, std::span<const double>, std::size_t,
                                 const BleuOptions&, std::size_t, double*);
extern template void bleu_scores(std::span<const double>, std::span<const double>, std::size_t,
                                 const BleuOptions&, std::size_t, double*);

}  // namespace isogloss::metric
