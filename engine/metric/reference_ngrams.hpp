#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/segments.hpp"
#include "text/vocabulary.hpp"

namespace isogloss {

inline constexpr std::size_t kMaxNgramOrder = 16;

/// The n-grams of one sentence's references, each with its largest count in any one reference, and the
/// clipped matching of candidates against them.
///
/// An n-gram is a slot of a hash table keyed exactly by the slot of its first n-1 words and its last word,
/// so matching a longer n-gram costs one probe from the shorter one. Storage is kept from sentence to
/// sentence: nothing is allocated per candidate. For one thread.
class ReferenceNgrams {
 public:
  using Slot = std::uint32_t;
  static constexpr Slot kRoot = 0xffffffffu;

  /// Takes sentence `sentence` of `references` in place of what it held; n-grams up to `order` words.
  void assign(const Segments& references, std::size_t sentence, std::size_t order);

  /// Calls `hit(n, slot)` for each n-gram of the candidate that counts as matched: as often as the n-gram
  /// stands in the candidate, but no more often than in the reference that has it most. kNoWord is no
  /// word: it matches nothing, not even itself.
  template <class Hit>
  void match(std::span<const WordId> candidate, Hit&& hit);

  /// Calls `visit(prefix, word, slot)` once for each n-gram of the sentence it was assigned, prefixes
  /// first; the prefix of a single word is kRoot.
  template <class Visit>
  void for_each(const Segments& references, std::size_t sentence, Visit&& visit);

  std::size_t slots() const { return entries_.size(); }

 private:
  static constexpr Slot kNone = 0xfffffffeu;

  struct Entry {
    Slot prefix;
    WordId word;              // kNoWord: the entry is free
    std::uint32_t most;       // largest count in one reference
    std::uint32_t remaining;  // of `most`, for the sequence with number `stamp`
    std::uint32_t stamp;
  };

  std::size_t home(Slot prefix, WordId word) const {
    const std::uint64_t key = std::uint64_t{prefix} << 32 | word;
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> shift_);
  }

  Slot find(Slot prefix, WordId word) const {
    for (std::size_t slot = home(prefix, word);; slot = (slot + 1) & mask_) {
      const Entry& entry = entries_[slot];
      if (entry.word == word && entry.prefix == prefix) return static_cast<Slot>(slot);
      if (entry.word == kNoWord) return kNone;
    }
  }

  Slot find_or_add(Slot prefix, WordId word);
  void count(std::span<const WordId> reference);
  std::uint32_t next_stamp();

  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  unsigned shift_ = 64;
  std::size_t order_ = 0;
  std::uint32_t stamp_ = 0;
};

template <class Hit>
void ReferenceNgrams::match(std::span<const WordId> candidate, Hit&& hit) {
  const std::uint32_t stamp = next_stamp();
  // From right to left: references hold every part of an n-gram they hold, so a match that starts here is
  // at most one word longer than the longest that starts one word later.
  std::size_t longest = 0;
  for (std::size_t start = candidate.size(); start-- > 0;) {
    const std::size_t limit = std::min(longest + 1, order_);
    Slot slot = kRoot;
    std::size_t n = 0;
    while (n < limit) {
      const WordId word = candidate[start + n];
      if (word == kNoWord) break;
      slot = find(slot, word);
      if (slot == kNone) break;
      ++n;
      Entry& entry = entries_[slot];
      const std::uint32_t left = entry.stamp == stamp ? entry.remaining : entry.most;
      entry.stamp = stamp;
      entry.remaining = left - (left > 0);
      if (left > 0) hit(n, slot);
    }
    longest = n;
  }
}

template <class Visit>
void ReferenceNgrams::for_each(const Segments& references, std::size_t sentence, Visit&& visit) {
  const std::uint32_t stamp = next_stamp();
  const auto [first, last] = references.sequences_of(sentence);
  for (std::int64_t r = first; r < last; ++r) {
    const std::span<const WordId> words = references.tokens(r);
    for (std::size_t start = 0; start < words.size(); ++start) {
      Slot prefix = kRoot;
      for (std::size_t n = 0; n < order_ && start + n < words.size(); ++n) {
        const WordId word = words[start + n];
        if (word == kNoWord) break;
        const Slot slot = find(prefix, word);
        Entry& entry = entries_[slot];
        if (entry.stamp != stamp) visit(prefix, word, slot);
        // `match` takes `remaining` for valid only under its own stamp, so this leaves nothing behind.
        entry.stamp = stamp;
        prefix = slot;
      }
    }
  }
}

}  // namespace isogloss
