// How much the candidates of a sentence agree with each other, weighed by how probable each of them is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metric/segments.hpp"

namespace isogloss::rerank {

enum class Utility {
  kBleu,  ///< sentence BLEU over tokens, as sacreBLEU smooths it
  kChrf,  ///< chrF with β = 2; the tokens are characters without whitespace
  kTer,   ///< 1 − TER, below 0 for candidates that need more edits than the reference has words
};

/// Longest n-grams that the functions below count.
constexpr std::size_t kMaxConsensusOrder = 8;

/// Writes, for each candidate and n = 1..order, the mean over its n-grams of the probability that a candidate
/// of the list has the n-gram: candidates × order numbers, 0 where a candidate is shorter than n.
/// `probabilities` has one entry per candidate; offsets must have been checked.
void ngram_posteriors(const metric::Segments& candidates, std::span<const double> probabilities, std::size_t order,
                      std::size_t threads, double* means);

/// Writes each candidate's expected utility in 0..1 with the list's candidates as references, each with its
/// probability; only the `references` most probable ones of a sentence take part (0: all). The result of a
/// minimum Bayes risk decision is the candidate with the highest number.
void expected_utilities(const metric::Segments& candidates, std::span<const double> probabilities, Utility utility,
                        std::size_t order, std::size_t references, std::size_t threads, double* utilities);

/// The same against one reference that is the mean of all: each n-gram with its expected count, and the expected
/// length (DeNero et al. 2009). Time grows with the candidates, not with their square. Not for kTer.
void aggregate_utilities(const metric::Segments& candidates, std::span<const double> probabilities, Utility utility,
                         std::size_t order, std::size_t threads, double* utilities);

}  // namespace isogloss::rerank
