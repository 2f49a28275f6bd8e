#include "metric/ngram_counts.hpp"

#include <stdexcept>
#include <utility>

#include "base/hash.hpp"

namespace isogloss {

NgramCounts::NgramCounts() : table_(1024, Slot{0, 0, kRoot}), counts_(1, 0) {}

std::size_t NgramCounts::slot_of(Node prefix, WordId word) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = mix64(std::uint64_t{prefix} << 32 | word) & mask;
  while (table_[slot].node != kRoot && (table_[slot].word != word || table_[slot].prefix != prefix))
    slot = (slot + 1) & mask;
  return slot;
}

NgramCounts::Node NgramCounts::find(Node prefix, WordId word) const {
  const Node node = table_[slot_of(prefix, word)].node;
  return node == kRoot ? kNone : node;
}

void NgramCounts::add(std::span<const WordId> sentence, std::size_t order) {
  counts_[kRoot] += sentence.size();
  for (std::size_t start = 0; start < sentence.size(); ++start) {
    Node node = kRoot;
    for (std::size_t n = 0; n < order && start + n < sentence.size(); ++n) {
      const WordId word = sentence[start + n];
      if (word == kNoWord) break;
      Slot& slot = table_[slot_of(node, word)];
      if (slot.node == kRoot) {
        if (counts_.size() >= kNone) throw std::length_error("more than 2^32 - 2 different n-grams");
        slot = {node, word, static_cast<Node>(counts_.size())};
        counts_.push_back(0);
      }
      node = slot.node;
      ++counts_[node];
      if (counts_.size() * 2 > table_.size()) grow();
    }
  }
}

void NgramCounts::grow() {
  std::vector<Slot> old(table_.size() * 2, Slot{0, 0, kRoot});
  std::swap(old, table_);
  for (const Slot& slot : old)
    if (slot.node != kRoot) table_[slot_of(slot.prefix, slot.word)] = slot;
}

}  // namespace isogloss
