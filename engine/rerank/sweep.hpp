#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "rerank/lists.hpp"
#include "rerank/pairs.hpp"
#include "rerank/weights.hpp"

namespace isogloss::rerank {

/// The λ trick (Li et al. 2002): each sentence has a private feature, λ for the better candidate of a pair,
/// which can separate any data. `private_weights` has one weight per sentence, or is empty: no trick.
struct LambdaTrick {
  double lambda = 0;
  std::span<double> private_weights;
};

/// Scores a sentence; throws std::overflow_error if weights or features have grown beyond all numbers, which
/// no sort could put in order.
inline void finite_scores(const Lists& lists, std::size_t sentence, std::span<const double> weights,
                          std::vector<double>& scores) {
  scores.resize(lists.end(sentence) - lists.begin(sentence));
  lists.score(sentence, weights, scores);
  for (const double score : scores)
    if (!std::isfinite(score)) throw std::overflow_error("the scores are not finite numbers");
}

/// One pass over the given sentences, in the given order: scores once, multipliers of all violating pairs, one
/// update. `Method` gives the multipliers (splitting.hpp, ordinal.hpp, voted.hpp). Throws std::out_of_range for
/// a sentence that does not exist.
template <class Method>
PairTotals sweep(Method& method, const Lists& lists, std::span<const std::int64_t> sentences, Weights& weights,
                 LambdaTrick trick = {}) {
  std::vector<double> scores, multipliers;
  PairTotals totals;
  for (const std::int64_t number : sentences) {
    if (number < 0 || static_cast<std::size_t>(number) >= lists.sentences())
      throw std::out_of_range("no sentence has that number");
    const auto sentence = static_cast<std::size_t>(number);
    finite_scores(lists, sentence, weights.current(), scores);
    multipliers.assign(scores.size(), 0.0);
    const bool tricked = !trick.private_weights.empty();
    const double shift = tricked ? trick.lambda * trick.private_weights[sentence] : 0.0;
    const PairTotals found = method.multipliers(sentence, scores, shift, multipliers);
    if (found.pairs > 0) {
      weights.add(lists, sentence, multipliers);
      if (tricked) trick.private_weights[sentence] += trick.lambda * found.weight;
    }
    weights.end_step();
    totals += found;
  }
  return totals;
}

/// What `sweep` would find if the weights never changed.
template <class Method>
PairTotals pair_totals(Method& method, const Lists& lists, std::span<const double> weights) {
  std::vector<double> scores, multipliers;
  PairTotals totals;
  for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
    finite_scores(lists, sentence, weights, scores);
    multipliers.assign(scores.size(), 0.0);
    totals += method.multipliers(sentence, scores, 0.0, multipliers);
  }
  return totals;
}

}  // namespace isogloss::rerank
