#include "rerank/splitting.hpp"

#include <algorithm>
#include <cmath>

namespace isogloss::rerank {

std::size_t SplitSize::of(std::size_t size) const {
  if (count > 0) return count;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(share * static_cast<double>(size))));
}

Splitting::Splitting(const Lists& lists, std::span<const double> quality, SplitSize good, SplitSize bad,
                     double margin)
    : offsets_{0}, bad_offsets_{0}, margin_(margin) {
  std::vector<std::size_t> better, worse;
  std::vector<double> negated;
  for (std::size_t sentence = 0; sentence < lists.sentences(); ++sentence) {
    const auto own = quality.subspan(lists.begin(sentence), lists.end(sentence) - lists.begin(sentence));
    better.resize(own.size());
    worse.resize(own.size());
    negated.assign(own.begin(), own.end());
    for (double& value : negated) value = -value;
    rank_by_quality(own, better);
    rank_by_quality(negated, worse);
    const std::size_t r = good.of(own.size()), k = bad.of(own.size());
    for (std::size_t j = 0; j < own.size(); ++j) {
      bool is_good = better[j] <= r, is_bad = worse[j] <= k;
      if (is_good && is_bad) {
        is_good = better[j] == 1 && worse[j] > 1;
        is_bad = worse[j] == 1 && better[j] > 1;
      }
      if (is_good) good_.push_back(static_cast<std::uint32_t>(j));
      if (is_bad) bad_.push_back(static_cast<std::uint32_t>(j));
    }
    offsets_.push_back(static_cast<std::int64_t>(good_.size()));
    bad_offsets_.push_back(static_cast<std::int64_t>(bad_.size()));
  }
}

PairTotals Splitting::multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                                  std::span<double> multipliers) {
  const auto gather = [&](const std::vector<std::uint32_t>& set, const std::vector<std::int64_t>& offsets,
                          double added, std::vector<Scored>& into) {
    into.clear();
    for (auto i = offsets[sentence]; i < offsets[sentence + 1]; ++i) {
      const std::size_t j = set[static_cast<std::size_t>(i)];
      into.emplace_back(scores[j] + added, j);
    }
    std::sort(into.begin(), into.end());
  };
  gather(good_, offsets_, shift, good_scores_);
  gather(bad_, bad_offsets_, margin_, bad_scores_);
  PairTotals totals;
  // A pair violates if the good score is below the bad score plus margin; both lists rise.
  std::size_t below = 0;
  for (const auto& [threshold, l] : bad_scores_) {
    while (below < good_scores_.size() && good_scores_[below].first < threshold) ++below;
    const auto count = static_cast<double>(below);
    multipliers[l] -= count;
    totals.pairs += count;
    totals.loss += count * threshold;
  }
  std::size_t passed = 0;
  for (const auto& [score, j] : good_scores_) {
    while (passed < bad_scores_.size() && !(score < bad_scores_[passed].first)) ++passed;
    const auto count = static_cast<double>(bad_scores_.size() - passed);
    multipliers[j] += count;
    totals.loss -= count * score;
  }
  totals.weight = totals.pairs;
  return totals;
}

}  // namespace isogloss::rerank
