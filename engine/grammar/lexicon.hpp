#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "base/index.hpp"
#include "grammar/aligned_text.hpp"

namespace isogloss::grammar {

/// Word translation probabilities by relative frequency of the links of an aligned corpus. A word without
/// a link counts as linked to no word (kNoWord) once. One writer or many readers.
class Lexicon {
 public:
  struct Probabilities {
    float target_given_source;
    float source_given_target;
  };

  /// The stored form: for every source word, and for "no word" after the last, the target words it was
  /// linked to in rising order ("no word" is the largest number).
  struct Columns {
    Buffer<std::uint64_t> offsets;  ///< source words + 2
    Buffer<WordId> targets;
    Buffer<float> probabilities;  ///< two for each target: given the source word, and of the source word
  };

  void count(const AlignedSentences& pair);

  /// The counts so far, in the order of first appearance, to add them to those of another text.
  struct Counts {
    Buffer<WordId> sources, targets;
    Buffer<std::uint64_t> counts;
  };
  Counts counts() const;
  void add(WordId source, WordId target, std::uint64_t count);

  /// Turns counts into probabilities; no counting after this.
  void estimate();

  /// Zeros if the two were never linked. After `estimate`.
  Probabilities find(WordId source, WordId target) const {
    const std::uint32_t found =
        index_.find(hash(source, target), [&](std::uint32_t at) { return entries_[at].is(source, target); });
    return found == Index::kNone ? Probabilities{0, 0} : std::bit_cast<Probabilities>(entries_[found].value);
  }

  std::size_t size() const { return entries_.size(); }
  Columns columns(std::size_t source_words) const;

 private:
  struct Entry {
    WordId source, target;
    std::uint64_t value;  // the count, later the Probabilities

    bool is(WordId other_source, WordId other_target) const {
      return source == other_source && target == other_target;
    }
  };

  static std::uint64_t hash(WordId source, WordId target) { return mix64(std::uint64_t{source} << 32 | target); }

  Index index_;
  Buffer<Entry> entries_;
  std::vector<bool> linked_source_, linked_target_;  // scratch of count()
};

/// Reads the stored form in place. What leads outside the arrays is as if it were not there, so that a
/// damaged file gives wrong answers but not a crash. Any number of threads may read.
class LexiconView {
 public:
  struct Row {
    std::span<const WordId> targets;       ///< in ascending order
    std::span<const float> probabilities;  ///< two for each: given the source word, and of the source word
  };

  LexiconView() = default;

  /// Throws std::invalid_argument if the sizes do not fit together.
  LexiconView(std::span<const std::uint64_t> offsets, std::span<const WordId> targets,
              std::span<const float> probabilities);

  bool empty() const { return targets_.empty(); }

  /// What a source word, or kNoWord, was linked to.
  Row row(WordId source) const;

  /// Zeros if the two were never linked. O(log n) in the length of the row.
  Lexicon::Probabilities find(WordId source, WordId target) const;

 private:
  std::span<const std::uint64_t> offsets_;
  std::span<const WordId> targets_;
  std::span<const float> probabilities_;
};

/// The two lexical weights of a rule (Koehn, Och & Marcu 2003): for each word of a side the mean probability
/// given the words it is linked to, or given "no word", multiplied up. Natural logarithms. Links are
/// (target, source symbol) bytes; source symbols that are gaps have no links and no part in this.
struct LexicalWeights {
  double target_given_source, source_given_target;
};
LexicalWeights lexical_weights(const Lexicon& lexicon, std::span<const WordId> source_symbols,
                               std::span<const WordId> target_words, std::span<const std::uint8_t> links);

}  // namespace isogloss::grammar
