#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/word.hpp"

namespace isogloss::classes {

/// A neighbor of a unit and how often they stand side by side.
struct Neighbor {
  std::uint32_t unit;
  std::uint32_t count;
};

/// The neighbors of every unit on one side, those of unit u between offsets[u] and offsets[u + 1].
struct Neighbors {
  std::vector<std::uint64_t> offsets;
  std::vector<Neighbor> entries;

  std::span<const Neighbor> of(std::uint32_t unit) const {
    return {entries.data() + offsets[unit], static_cast<std::size_t>(offsets[unit + 1] - offsets[unit])};
  }
};

/// What the clustering knows of a corpus. Units are what is moved between classes: a word, or all rare
/// words together. The last unit is the sentence boundary, which stands before and after every sentence.
struct UnitBigrams {
  std::vector<std::uint64_t> counts;  ///< occurrences per unit
  Neighbors after;
  Neighbors before;
  std::uint64_t total = 0;  ///< pairs: words and sentence ends

  std::uint32_t boundary() const { return static_cast<std::uint32_t>(counts.size() - 1); }
};

/// Counts words and pairs of adjacent words of a corpus that arrives in batches.
///
/// Memory grows with the number of different pairs, not with the corpus. Sentences without words count
/// for nothing.
class BigramCounter {
 public:
  /// Adds the sentences between consecutive offsets of `ids`. The offsets must not fall nor pass the end,
  /// and no id may be kNoWord (std::invalid_argument). Throws std::length_error past 2^31 pairs, the limit
  /// of the clustering's arithmetic.
  void add(std::span<const WordId> ids, std::span<const std::int64_t> offsets);

  /// Adds what another counter has counted: its pairs in order, with the numbers that words have here.
  /// kNoWord is the sentence boundary. Counters of consecutive parts of a corpus, added in order, give the
  /// counter of the whole. Throws like `add`.
  void add_pairs(std::span<const WordId> left, std::span<const WordId> right,
                 std::span<const std::uint32_t> counts);

  /// The different pairs in the order of their first appearance.
  struct Pair {
    WordId left, right;
    std::uint32_t count;
  };
  std::span<const Pair> counted_pairs() const { return {pairs_.data(), pairs_.size()}; }

  /// Occurrences of every word, by its number.
  std::span<const std::uint64_t> counts() const { return counts_; }

  std::uint64_t sentences() const { return sentences_; }
  std::uint64_t pairs() const { return pairs_.size(); }

  /// The counts of units: word w counts as unit `unit_of[w]`, which must be below `units`
  /// (std::invalid_argument). Linear in the number of different pairs.
  UnitBigrams units(std::span<const std::uint32_t> unit_of, std::uint32_t units) const;

 private:
  void count_pair(WordId left, WordId right, std::uint32_t count = 1);

  Index index_;
  Buffer<Pair> pairs_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t sentences_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace isogloss::classes
