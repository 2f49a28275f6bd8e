#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rerank/lists.hpp"
#include "rerank/pairs.hpp"

namespace isogloss::rerank {

/// Which ranks p < q are far enough apart to be held against each other: ratio · p < q and p + gap < q.
struct RankDistance {
  double ratio = 2;
  double gap = 20;

  bool is_far(std::size_t p, std::size_t q) const {
    const auto better = static_cast<double>(p), worse = static_cast<double>(q);
    return ratio * better < worse && better + gap < worse;
  }
};

/// ε-insensitive ordinal regression with uneven margins (Shen et al. 2004, Algorithm 2) with
/// g(p, q) = 1/p − 1/q: a pair of ranks p < q that are far apart violates if s_p − s_q < g·margin, and then
/// has the multiplier g.
///
/// The condition is z_p < z_q with z = s − margin/rank, so that counting pairs is a sort and prefix sums over
/// the order by rank: O(n log n).
class Ordinal {
 public:
  Ordinal(const Lists& lists, std::span<const double> quality, RankDistance distance, double margin);

  /// Multipliers of all violating pairs of a sentence; `shift` as for splitting.
  PairTotals multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                         std::span<double> multipliers);

 private:
  struct Place {
    std::uint32_t at;           // position in the order by rank
    std::uint32_t better_end;   // candidates far enough above: positions [0, better_end)
    std::uint32_t worse_begin;  // candidates far enough below: positions [worse_begin, n)
    double inverse_rank;
  };
  std::vector<std::int64_t> offsets_;
  std::vector<Place> places_;
  double margin_;
  PrefixSums sums_;
  std::vector<std::pair<double, std::size_t>> order_;  // by z
};

}  // namespace isogloss::rerank
