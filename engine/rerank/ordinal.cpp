#include "rerank/ordinal.hpp"

#include <algorithm>
#include <numeric>

namespace isogloss::rerank {

Ordinal::Ordinal(const Lists& lists, std::span<const double> quality, RankDistance distance, double margin)
    : offsets_(lists.sentence_offsets.begin(), lists.sentence_offsets.end()),
      places_(quality.size()),
      margin_(margin) {
  std::vector<std::size_t> ranks, order;
  for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
    const std::size_t first = lists.begin(sentence), size = lists.end(sentence) - first;
    ranks.resize(size);
    rank_by_quality(quality.subspan(first, size), ranks);
    order.resize(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return ranks[a] < ranks[b]; });
    std::size_t better_end = 0, worse_begin = 0;
    for (std::size_t at = 0; at < size; ++at) {
      const std::size_t rank = ranks[order[at]];
      while (better_end < size && distance.is_far(ranks[order[better_end]], rank)) ++better_end;
      while (worse_begin < size && !distance.is_far(rank, ranks[order[worse_begin]])) ++worse_begin;
      places_[first + order[at]] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(better_end),
                                    static_cast<std::uint32_t>(worse_begin), 1.0 / static_cast<double>(rank)};
    }
  }
}

PairTotals Ordinal::multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                                std::span<double> multipliers) {
  const Place* const places = places_.data() + offsets_[sentence];
  const std::size_t size = scores.size();
  order_.clear();
  for (std::size_t j = 0; j < size; ++j)
    order_.emplace_back(scores[j] - margin_ * places[j].inverse_rank, j);
  std::sort(order_.begin(), order_.end());
  PairTotals totals;
  sums_.reset(size);
  std::size_t next = 0;
  for (const auto& [z, l] : order_) {  // as the worse of a pair
    for (; next < size && order_[next].first + shift < z; ++next) {
      const Place& place = places[order_[next].second];
      sums_.add(place.at, place.inverse_rank);
    }
    const auto [count, inverse] = sums_.before(places[l].better_end);
    if (count == 0) continue;
    const double weight = inverse - count * places[l].inverse_rank;
    multipliers[l] -= weight;
    totals.pairs += count;
    totals.weight += weight;
    totals.loss += count * z;
  }
  sums_.reset(size);
  next = size;
  for (std::size_t i = size; i-- > 0;) {  // as the better of a pair
    const auto [z, j] = order_[i];
    for (; next > 0 && z + shift < order_[next - 1].first; --next) {
      const Place& place = places[order_[next - 1].second];
      sums_.add(size - 1 - place.at, place.inverse_rank);
    }
    const auto [count, inverse] = sums_.before(size - places[j].worse_begin);
    multipliers[j] += count * places[j].inverse_rank - inverse;
    totals.loss -= count * (z + shift);
  }
  return totals;
}

}  // namespace isogloss::rerank
