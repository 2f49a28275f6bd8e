#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "grammar/lexicon.hpp"
#include "search/source.hpp"

namespace isogloss::search {

using grammar::LexiconView;

/// How many words of a rule have no counterpart.
struct Unmatched {
  std::uint8_t insertions;  ///< target words that no word of the sentence translates to
  std::uint8_t deletions;   ///< source words of the rule that translate to no target word of it
};

/// For each source word the target words that it translates to with at least some probability. Rows are read when they
/// are first asked for, and kept. One per thread.
class LikelyTranslations {
 public:
  /// Without a lexicon everything counts as translated.
  LikelyTranslations(const LexiconView* lexicon, float threshold) : lexicon_(lexicon), threshold_(threshold) {}

  bool any() const { return lexicon_ != nullptr; }

  /// In ascending order; valid until the next call.
  std::span<const WordId> of(WordId source);

 private:
  const LexiconView* lexicon_;
  float threshold_;
  Index index_;
  std::vector<WordId> words_, targets_;
  std::vector<std::size_t> begins_{0};
};

/// Tells which words of a rule have a counterpart: in the rule alone, and in a sentence.
class LexicalMatches {
 public:
  explicit LexicalMatches(LikelyTranslations& translations) : translations_(translations) {}

  void set_sentence(const Source& source);
  /// Whether a word of the sentence translates to this one.
  bool in_sentence(WordId target) const;

  /// The source side of the rules that are asked about next; gaps may stand in it.
  void set_side(std::span<const WordId> symbols);
  /// Source words of the side that translate to none of these.
  std::uint8_t deletions(std::span<const WordId> target_words);
  /// Whether a word of the side translates to this one.
  bool in_side(WordId target) const;

 private:
  LikelyTranslations& translations_;
  std::vector<WordId> slots_;                    // of the sentence: open addressing, kNoWord is free
  std::vector<WordId> side_;                     // translations of the side's words
  std::vector<std::size_t> side_begins_;         // by word of the side, and the end
};

}  // namespace isogloss::search
