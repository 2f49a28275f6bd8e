#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "metric/bleu.hpp"

namespace isogloss::metric {

/// Lengths of one sentence's references, reduced to what answers for any candidate.
class ReferenceLengths {
 public:
  /// There must be at least one.
  void assign(std::vector<std::int32_t> lengths, ReferenceLength kind) {
    lengths_ = std::move(lengths);
    reduce(kind);
  }
  void assign(const Segments& references, std::size_t sentence, ReferenceLength kind) {
    lengths_.clear();
    const auto [first, last] = references.sequences_of(sentence);
    for (std::int64_t r = first; r < last; ++r)
      lengths_.push_back(static_cast<std::int32_t>(references.tokens(r).size()));
    reduce(kind);
  }

  std::int32_t closest(std::int32_t length) const {
    std::int32_t best = lengths_.front();
    for (const std::int32_t other : lengths_)
      if (std::abs(other - length) < std::abs(best - length)) best = other;
    return best;
  }

 private:
  void reduce(ReferenceLength kind) {
    std::sort(lengths_.begin(), lengths_.end());
    if (kind == ReferenceLength::kShortest) lengths_.resize(1);
    if (kind == ReferenceLength::kAverage) {
      const auto count = static_cast<std::int64_t>(lengths_.size());
      std::int64_t sum = 0;
      for (const std::int32_t length : lengths_) sum += length;
      lengths_.assign(1, static_cast<std::int32_t>((2 * sum + count) / (2 * count)));
    }
  }

  std::vector<std::int32_t> lengths_;  // ascending, so that the first of equally close ones is the shorter
};

}  // namespace isogloss::metric
