#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "base/word.hpp"
#include "metric/segments.hpp"

namespace isogloss::metric {

inline constexpr std::size_t kMaxNgramOrder = 16;

/// The n-grams of one sentence's references, each with its largest count in any one reference, and the
/// clipped matching of candidates against them.
///
/// N-grams are numbered in the order in which the references have them. One is found by the number of its
/// first n-1 words and its last word, so matching a longer n-gram costs one look from the shorter one.
/// Storage is kept from sentence to sentence: nothing is allocated per candidate. For one thread.
class ReferenceNgrams {
 public:
  using Number = std::uint32_t;
  static constexpr Number kRoot = 0xffffffffu;  ///< no words

  /// Takes sentence `sentence` of `references` in place of what it held; n-grams up to `order` words.
  void assign(const Segments& references, std::size_t sentence, std::size_t order);

  /// Calls `hit(n, number)` for each n-gram of the candidate that counts as matched: as often as the n-gram
  /// stands in the candidate, but no more often than in the reference that has it most. kNoWord is no
  /// word: it matches nothing, not even itself.
  template <class Hit>
  void match(std::span<const WordId> candidate, Hit&& hit);

  /// Calls `visit(prefix, word, number)` for each n-gram by ascending id, so prefixes first; the prefix of
  /// a single word is kRoot.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (Number number = 0; number < size(); ++number) visit(entries_[number].prefix, entries_[number].word, number);
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Number prefix;
    WordId word;
    std::uint32_t most;       // largest count in one reference
    std::uint32_t remaining;  // of `most`, for the sequence with number `stamp`
    std::uint32_t stamp;

    bool is(Number other_prefix, WordId other_word) const { return word == other_word && prefix == other_prefix; }
  };

  static std::uint64_t hash(Number prefix, WordId word) {
    return (std::uint64_t{prefix} << 32 | word) * 0x9e3779b97f4a7c15ULL;
  }
  Number find(Number prefix, WordId word) const {
    return index_.find(hash(prefix, word), [&](Number number) { return entries_[number].is(prefix, word); });
  }
  Number find_or_add(Number prefix, WordId word);
  void count(std::span<const WordId> reference);
  std::uint32_t next_stamp();

  Index index_;
  std::vector<Entry> entries_;
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
    Number ngram = kRoot;
    std::size_t n = 0;
    while (n < limit) {
      const WordId word = candidate[start + n];
      if (word == kNoWord) break;
      ngram = find(ngram, word);
      if (ngram == Index::kNone) break;
      ++n;
      Entry& entry = entries_[ngram];
      const std::uint32_t left = entry.stamp == stamp ? entry.remaining : entry.most;
      entry.stamp = stamp;
      entry.remaining = left - (left > 0);
      if (left > 0) hit(n, ngram);
    }
    longest = n;
  }
}

}  // namespace isogloss::metric
