#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rerank/lists.hpp"
#include "rerank/pairs.hpp"

namespace isogloss::rerank {

/// How many of a sentence's candidates are good or bad: a share of the list or, if not 0, a number.
struct SplitSize {
  double share = 0.3;
  std::size_t count = 0;

  /// For a list of `size` candidates; at least 1.
  std::size_t of(std::size_t size) const;
};

/// Splitting (Shen et al. 2004, Algorithm 1): good candidates shall score at least `margin` above bad ones.
///
/// A candidate is good if fewer than r candidates are strictly better, bad if fewer than k are strictly worse.
/// One that is both (ties, short lists) is good if nothing is better, bad if nothing is worse, else neither.
class Splitting {
 public:
  Splitting(const Lists& lists, std::span<const double> quality, SplitSize good, SplitSize bad, double margin);

  /// Multipliers of all violating pairs of a sentence, in O(n log n). `shift` is added to every difference of
  /// scores (the λ trick).
  PairTotals multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                         std::span<double> multipliers);

 private:
  using Scored = std::pair<double, std::size_t>;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> good_, bad_;  // candidates within their sentence
  std::vector<std::int64_t> bad_offsets_;
  double margin_;
  std::vector<Scored> good_scores_, bad_scores_;
};

}  // namespace isogloss::rerank
