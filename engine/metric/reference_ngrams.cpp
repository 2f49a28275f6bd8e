#include "metric/reference_ngrams.hpp"

#include <bit>
#include <stdexcept>

namespace isogloss {

void ReferenceNgrams::assign(const Segments& references, std::size_t sentence, std::size_t order) {
  const auto [first, last] = references.sequences_of(sentence);
  std::size_t most_ngrams = 0;
  for (std::int64_t r = first; r < last; ++r) most_ngrams += references.tokens(r).size() * order;
  if (most_ngrams > std::size_t{1} << 29)
    throw std::length_error("the references of one sentence are too long");

  const std::size_t slots = std::bit_ceil(most_ngrams * 2 + 2);
  entries_.assign(slots, Entry{kRoot, kNoWord, 0, 0, 0});
  mask_ = slots - 1;
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots));
  order_ = order;
  stamp_ = 0;
  for (std::int64_t r = first; r < last; ++r) count(references.tokens(r));
}

ReferenceNgrams::Slot ReferenceNgrams::find_or_add(Slot prefix, WordId word) {
  for (std::size_t slot = home(prefix, word);; slot = (slot + 1) & mask_) {
    Entry& entry = entries_[slot];
    if (entry.word == kNoWord) entry = {prefix, word, 0, 0, 0};
    if (entry.word == word && entry.prefix == prefix) return static_cast<Slot>(slot);
  }
}

void ReferenceNgrams::count(std::span<const WordId> reference) {
  const std::uint32_t stamp = next_stamp();
  for (std::size_t start = 0; start < reference.size(); ++start) {
    Slot slot = kRoot;
    for (std::size_t n = 0; n < order_ && start + n < reference.size(); ++n) {
      if (reference[start + n] == kNoWord) break;
      slot = find_or_add(slot, reference[start + n]);
      Entry& entry = entries_[slot];
      // `remaining` counts upwards here: this reference's occurrences so far.
      entry.remaining = entry.stamp == stamp ? entry.remaining + 1 : 1;
      entry.stamp = stamp;
      entry.most = std::max(entry.most, entry.remaining);
    }
  }
}

std::uint32_t ReferenceNgrams::next_stamp() {
  if (++stamp_ == 0) {
    for (Entry& entry : entries_) entry.stamp = 0;
    stamp_ = 1;
  }
  return stamp_;
}

}  // namespace isogloss
