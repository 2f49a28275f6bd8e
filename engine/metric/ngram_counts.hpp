#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/word.hpp"

namespace isogloss::metric {

/// How often each n-gram stands in a text of any size, up to some order; n-grams end at sentence ends.
/// Many readers or one writer.
class NgramCounts {
 public:
  /// An n-gram's number; the empty n-gram is 0 and its count is the number of words.
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = 0xffffffffu;

  /// Counts the n-grams of one sentence. Those with kNoWord in them are left out.
  /// Throws std::length_error past 2^32 - 2 different n-grams.
  void add(std::span<const WordId> sentence, std::size_t order);

  /// The n-gram that continues `prefix` with `word`, or kNone.
  Node find(Node prefix, WordId word) const;

  std::uint64_t count(Node node) const { return entries_[node].count; }

 private:
  struct Entry {
    Node prefix;
    WordId word;
    std::uint64_t count;

    bool is(Node other_prefix, WordId other_word) const { return word == other_word && prefix == other_prefix; }
  };

  static std::uint64_t hash(Node prefix, WordId word) { return mix64(std::uint64_t{prefix} << 32 | word); }
  Node find_or_add(Node prefix, WordId word);

  Index index_;                            // of all but the root
  std::vector<Entry> entries_{{0, 0, 0}};  // by node
};

}  // namespace isogloss::metric
