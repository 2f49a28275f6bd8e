// The n-grams of a corpus as a trie that is read from the last word to the first.
//
// All n-grams of one order lie in one row, sorted by their last word, then the one before it, and so on. So
// the n-grams w v u with the same suffix v u stand together, under the entry of v u one order below, and an
// entry needs no more than its first word and where its own children begin. The first level is dense: entry
// i is word i of the vocabulary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/word.hpp"
#include "lm/ngram_hash.hpp"

namespace isogloss::lm {

/// Marks, in a count, an n-gram that is not kept in the model; it still counts in the statistics.
inline constexpr std::uint32_t kPruned = 0x80000000u;

/// More words than this in a corpus do not fit the counts.
inline constexpr std::uint64_t kMaxTokens = kPruned - 1;

struct SpecialWords {
  WordId begin, end, unknown;
};

/// The columns of one order. `children[i]` to `children[i + 1]` are the entries of the next order that
/// extend entry i to the left; there is one more than entries, and none at the highest order.
struct TrieColumns {
  Buffer<WordId> words;  ///< first words; empty for order 1
  Buffer<std::uint32_t> counts;
  Buffer<std::uint32_t> children;
};

/// Turns sorted n-grams of the highest order into all orders with their adjusted counts: the number of
/// different words seen to the left, or how often it was seen for the highest order and for what begins
/// with <s>.
class TrieBuilder {
 public:
  struct Statistics {
    std::array<std::uint64_t, 5> with_count{};  ///< n-grams with adjusted count 1 to 4, pruned ones included
    std::uint64_t kept = 0;
  };

  /// An n-gram of order k is pruned if it was seen `thresholds[k - 1]` times or less; thresholds must not
  /// fall. Special words are never pruned.
  TrieBuilder(unsigned order, std::vector<std::uint64_t> thresholds, SpecialWords special);
  TrieBuilder(TrieBuilder&&) = default;

  /// The next n-gram, last word first, later than all before it. Shorter than the order only if its first
  /// word is <s>.
  void add(const WordId* words, unsigned length, std::uint32_t count);

  /// After the last n-gram: fills the first level up to the size of the vocabulary.
  void finish(std::size_t vocabulary_size);

  unsigned order() const { return static_cast<unsigned>(levels_.size()); }
  const Statistics& statistics(unsigned order) const { return levels_[order - 1].statistics; }

  /// Memory in use for columns, in bytes.
  std::size_t bytes() const;

  /// Hands over the columns of one order as far as they are complete; later calls go on where this ended.
  TrieColumns take(unsigned order);

 private:
  struct Level {
    TrieColumns columns;
    std::uint64_t taken = 0;
    Statistics statistics;

    std::uint32_t size() const { return static_cast<std::uint32_t>(taken + columns.counts.size()); }
  };

  void open(unsigned level, WordId word, std::uint32_t count);
  void close(unsigned level);
  void push(unsigned level, std::uint32_t count);
  void skip_unigrams(WordId to);

  std::vector<Level> levels_;
  std::vector<std::uint64_t> thresholds_;
  SpecialWords special_;
  std::array<WordId, kMaxOrder> path_{};
  std::array<std::uint32_t, kMaxOrder> seen_{};  // of the open entries
  unsigned depth_ = 0;
  bool finished_ = false;
};

/// A finished trie as views of its columns.
struct Trie {
  struct Level {
    std::span<const WordId> words;
    std::span<const std::uint32_t> counts;
    std::span<const std::uint32_t> children;
  };

  std::vector<Level> levels;

  unsigned order() const { return static_cast<unsigned>(levels.size()); }
  bool kept(unsigned order, std::size_t entry) const {
    return (levels[order - 1].counts[entry] & kPruned) == 0;
  }
  /// Whether a kept n-gram extends the entry to the left.
  bool extends_left(unsigned order, std::size_t entry) const;
};

/// Walks the entries of one order.
class TrieCursor {
 public:
  TrieCursor(const Trie& trie, unsigned order, std::size_t entry);

  std::size_t entry() const { return at_[order_ - 1]; }
  /// From left to right; `order` of them.
  const WordId* words() const { return words_.data(); }
  /// As `ngram_key` gives it.
  std::uint64_t key() const { return keys_[order_ - 1]; }
  /// To the next entry, which must exist.
  void advance();

 private:
  void read(unsigned from_level);

  const Trie& trie_;
  unsigned order_;
  std::array<std::size_t, kMaxOrder> at_{};
  std::array<WordId, kMaxOrder> words_{};
  std::array<std::uint64_t, kMaxOrder> keys_{};
};

}  // namespace isogloss::lm
