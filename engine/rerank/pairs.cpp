#include "rerank/pairs.hpp"

#include <algorithm>
#include <numeric>

namespace isogloss::rerank {

void rank_by_quality(std::span<const double> quality, std::span<std::size_t> ranks) {
  std::vector<std::size_t> order(quality.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return quality[a] > quality[b]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = i > 0 && quality[order[i]] == quality[order[i - 1]] ? ranks[order[i - 1]] : i + 1;
}

}  // namespace isogloss::rerank
