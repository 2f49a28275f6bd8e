#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/vocabulary.hpp"

namespace isogloss {

/// How often each n-gram stands in a text of any size, up to some order; n-grams end at sentence ends.
/// Many readers or one writer.
class NgramCounts {
 public:
  /// An n-gram's number; the empty n-gram is 0 and its count is the number of words.
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = 0xffffffffu;

  NgramCounts();

  /// Counts the n-grams of one sentence. Those with kNoWord in them are left out.
  /// Throws std::length_error past 2^32 - 2 different n-grams.
  void add(std::span<const WordId> sentence, std::size_t order);

  /// The n-gram that continues `prefix` with `word`, or kNone.
  Node find(Node prefix, WordId word) const;

  std::uint64_t count(Node node) const { return counts_[node]; }

 private:
  struct Slot {
    Node prefix;
    WordId word;
    Node node;  // kRoot: the slot is free
  };

  std::size_t slot_of(Node prefix, WordId word) const;
  void grow();

  std::vector<Slot> table_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace isogloss
