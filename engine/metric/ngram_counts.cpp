#include "metric/ngram_counts.hpp"

#include <stdexcept>

namespace isogloss::metric {

NgramCounts::Node NgramCounts::find(Node prefix, WordId word) const {
  const std::uint32_t found = index_.find(
      hash(prefix, word), [&](std::uint32_t number) { return entries_[number + 1].is(prefix, word); });
  return found == Index::kNone ? kNone : found + 1;
}

NgramCounts::Node NgramCounts::find_or_add(Node prefix, WordId word) {
  const std::uint32_t number = index_.find_or_add(
      hash(prefix, word), [&](std::uint32_t other) { return entries_[other + 1].is(prefix, word); },
      [&](std::uint32_t other) { return hash(entries_[other + 1].prefix, entries_[other + 1].word); },
      [&] {
        if (entries_.size() >= kNone) throw std::length_error("more than 2^32 - 2 different n-grams");
        entries_.push_back({prefix, word, 0});
      });
  return number + 1;
}

void NgramCounts::add(std::span<const WordId> sentence, std::size_t order) {
  entries_[kRoot].count += sentence.size();
  for (std::size_t start = 0; start < sentence.size(); ++start) {
    Node node = kRoot;
    for (std::size_t n = 0; n < order && start + n < sentence.size(); ++n) {
      const WordId word = sentence[start + n];
      if (word == kNoWord) break;
      node = find_or_add(node, word);
      ++entries_[node].count;
    }
  }
}

}  // namespace isogloss::metric
