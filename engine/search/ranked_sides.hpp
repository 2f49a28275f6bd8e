#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "search/options.hpp"

namespace isogloss::search {

/// Where the options of a source side stand among those of a sentence, by the order of its gaps.
struct OptionRanges {
  std::uint32_t in_order_begin, in_order_end, swapped_end;
};

/// A source side with its target sides, ranked by all that does not depend on the sentence.
struct RankedSide {
  std::uint64_t key;
  std::uint32_t options_begin, options_end;
  std::uint32_t words_begin, words_end;
  std::uint32_t in_order_end;  ///< if the sentence cannot change the order: from here on gaps are swapped
  bool complete;               ///< has all target sides that were looked at, not only those that may be kept
  std::uint32_t sentence = 0;  ///< the last one that used it, and where its options stand there
  OptionRanges ranges{};
};

/// What an option of a ranked side has besides.
struct RankedExtra {
  std::uint32_t loose_begin, loose_end;  ///< target words that no word of its own source side translates to
  std::uint32_t unaligned_end;           ///< from `loose_end` on: those without a link, if sparse features ask for them
  float highest;  ///< the optimistic score in the best sentence
  bool swapped;
};

/// Ranked source sides under one version of the weights, kept between sentences. What is found in it is what would be
/// computed again, so results do not depend on what it remembers. One per thread.
class RankedSides {
 public:
  explicit RankedSides(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  /// Begins a sentence. Forgets everything if it was ranked with other weights, or if there is too much of it.
  void begin_sentence(std::uint32_t version);

  /// The side with this key, or nullptr; valid until the next `add`.
  RankedSide* find(std::uint64_t key) {
    const std::uint32_t found =
        index_.find(mix64(key), [&](std::uint32_t other) { return sides_[other].key == key; });
    return found == Index::kNone ? nullptr : &sides_[found];
  }
  /// Adds a side, or replaces the one with its key. Its options, words and loose words must be there already.
  RankedSide& add(const RankedSide& side);

  std::uint32_t sentence() const { return sentence_; }
  std::size_t bytes() const;

  /// Of all sides; positions in options are relative to the side's.
  std::vector<Option> options;
  std::vector<lm::ScoredPhrase> phrases;       ///< parallel to the options, and so are
  std::vector<RankedExtra> extras;
  std::vector<WordId> words, lm_words;  ///< parallel
  std::vector<std::uint8_t> joint_symbols;  ///< parallel to the words: the source symbol each belongs to, if a joint model asks
  std::vector<WordId> loose;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{48} << 20;

  std::size_t most_bytes_;
  std::uint32_t version_ = 0, sentence_ = 0;
  Index index_;
  std::vector<RankedSide> sides_;
};

}  // namespace isogloss::search
