#include "rerank/voted.hpp"

#include <algorithm>
#include <numeric>

namespace isogloss::rerank {

Voted::Voted(const Lists& lists, std::span<const double> quality)
    : offsets_(lists.sentence_offsets.begin(), lists.sentence_offsets.end()), places_(quality.size()) {
  std::vector<std::size_t> order;
  for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
    const std::size_t first = lists.begin(sentence), size = lists.end(sentence) - first;
    const auto own = quality.subspan(first, size);
    order.resize(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return own[a] < own[b]; });
    std::size_t lower_end = 0, higher_begin = 0;
    for (std::size_t at = 0; at < size; ++at) {
      const double value = own[order[at]];
      if (own[order[lower_end]] < value) lower_end = at;
      while (higher_begin < size && own[order[higher_begin]] <= value) ++higher_begin;
      places_[first + order[at]] = {value, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(lower_end),
                                    static_cast<std::uint32_t>(higher_begin)};
    }
  }
}

PairTotals Voted::multipliers(std::size_t sentence, std::span<const double> scores, double /*shift*/,
                              std::span<double> multipliers) {
  const Place* const places = places_.data() + offsets_[sentence];
  const std::size_t size = scores.size();
  order_.clear();
  for (std::size_t j = 0; j < size; ++j) order_.emplace_back(-scores[j], j);
  std::sort(order_.begin(), order_.end());
  PairTotals totals;
  sums_.reset(size);
  for (const auto& entry : order_) {
    const Place& place = places[entry.second];
    const auto [count, sum] = sums_.before(place.lower_end);
    const double weight = count * place.quality - sum;
    multipliers[entry.second] += weight;
    totals.pairs += count;
    totals.weight += weight;
    sums_.add(place.at, place.quality);
  }
  sums_.reset(size);
  for (std::size_t i = size; i-- > 0;) {
    const Place& place = places[order_[i].second];
    const auto [count, sum] = sums_.before(size - place.higher_begin);
    multipliers[order_[i].second] -= sum - count * place.quality;
    sums_.add(size - 1 - place.at, place.quality);
  }
  totals.loss = totals.weight;
  return totals;
}

PairTotals Perceptron::multipliers(std::size_t sentence, std::span<const double> scores, double /*shift*/,
                                   std::span<double> multipliers) {
  const auto own = quality_.subspan(lists_->begin(sentence), scores.size());
  if (own.empty()) return {};
  std::size_t chosen = 0, oracle = 0;
  for (std::size_t j = 1; j < own.size(); ++j) {
    if (scores[j] > scores[chosen]) chosen = j;
    if (own[j] > own[oracle] || (own[j] == own[oracle] && scores[j] > scores[oracle])) oracle = j;
  }
  if (own[oracle] == own[chosen]) return {};
  multipliers[oracle] += 1;
  multipliers[chosen] -= 1;
  return {1, 1, scores[chosen] - scores[oracle]};
}

}  // namespace isogloss::rerank
