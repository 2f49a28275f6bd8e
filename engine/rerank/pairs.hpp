#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace isogloss::rerank {

/// What the violating pairs of candidates of a sentence, or of many, come to.
struct PairTotals {
  double pairs = 0;   ///< how many
  double weight = 0;  ///< sum of the pairs' multipliers
  double loss = 0;    ///< sum of what each pair misses its margin by

  PairTotals& operator+=(const PairTotals& other) {
    pairs += other.pairs;
    weight += other.weight;
    loss += other.loss;
    return *this;
  }
};

/// Counts and sums over prefixes of a fixed order, in O(log n) each (a Fenwick tree).
class PrefixSums {
 public:
  struct Entry {
    double count = 0, sum = 0;
  };

  void reset(std::size_t size) { tree_.assign(size + 1, Entry{}); }

  void add(std::size_t at, double value) {
    for (++at; at < tree_.size(); at += at & (~at + 1)) {
      tree_[at].count += 1;
      tree_[at].sum += value;
    }
  }

  /// Over the positions [0, end).
  Entry before(std::size_t end) const {
    Entry total;
    for (; end > 0; end &= end - 1) {
      total.count += tree_[end].count;
      total.sum += tree_[end].sum;
    }
    return total;
  }

 private:
  std::vector<Entry> tree_;
};

/// For every candidate of a sentence 1 + the number of candidates with a higher quality: equals share a rank.
void rank_by_quality(std::span<const double> quality, std::span<std::size_t> ranks);

}  // namespace isogloss::rerank
