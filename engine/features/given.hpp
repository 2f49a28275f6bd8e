#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/scorer.hpp"

namespace isogloss::features {

/// A phrase of a translation: words from `first` up to and including `last` on each side.
struct GivenPhrase {
  std::uint32_t source_first, source_last, target_first, target_last;
};

/// A translation that some decoder made: its words, which of them translate which source words, and, if it is known,
/// the phrases it was put together from.
struct GivenTranslation {
  std::span<const WordId> words;                        ///< numbers in the target vocabulary
  std::span<const std::array<std::uint32_t, 2>> links;  ///< source and target positions, in any order
  std::span<const GivenPhrase> phrases;                 ///< in the order of the target; none is one for the whole
};

/// Lays the translations of one sentence out as derivations of a search, so that templates see in them what they
/// would have seen there: each phrase is a rule. Links between phrases are not seen by templates that look at rules.
/// Orientations and distortions are those of a phrase-based search.
class GivenSentence {
 public:
  /// The words of the source sentence and their numbers in the source vocabulary or kNoWord.
  GivenSentence(const SparseModel& model, std::span<const std::string> words, std::span<const WordId> numbers);

  /// Steps of a translation, for `scorer().features` and the like. Throws std::invalid_argument if a word has no number
  /// below the size of the vocabulary, or a phrase or link lies outside the sentence.
  const std::vector<SparseStep>& derivation(const GivenTranslation& translation);

  SparseScorer& scorer() { return scorer_; }

 private:
  struct Block {  // source words that were translated consecutively
    std::uint32_t begin, end;
  };
  void reduce(Block block);
  void add_phrase(const GivenTranslation& translation, const GivenPhrase& phrase);

  const SparseModel& model_;
  SparseScorer scorer_;
  std::size_t length_;
  std::uint32_t options_ = 0;
  std::vector<SparseStep> steps_;
  std::vector<Block> blocks_;  // as large as they can be, the latest last
  std::vector<TokenId> source_, target_;
  std::vector<Link> links_;
};

}  // namespace isogloss::features
