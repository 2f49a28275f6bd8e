#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/lexicon.hpp"
#include "search/source.hpp"

namespace isogloss::search {

using grammar::LexiconView;

/// How many words of a rule have no counterpart.
struct Unmatched {
  std::uint8_t insertions;  ///< target words that no word of the sentence translates to
  std::uint8_t deletions;   ///< source words of the rule that translate to no target word of it
};

/// Tells which words of one sentence may have become which target words: those whose lexical probability reaches a
/// threshold. Only the few pairs that do are kept, so that asking about a rule costs a look per word.
class LexicalMatches {
 public:
  /// Without a lexicon nothing counts as unmatched.
  LexicalMatches(const LexiconView* lexicon, float threshold) : lexicon_(lexicon), threshold_(threshold) {}

  void set_sentence(const Source& source);
  /// The source side of the rules that are asked about next; gaps may stand in it.
  void set_side(std::span<const WordId> symbols);
  Unmatched of(std::span<const WordId> target_words);

 private:
  struct Pair {
    WordId target;
    std::uint32_t source;  // position in words_
  };

  const LexiconView* lexicon_;
  float threshold_;
  std::vector<WordId> words_;               // the sentence's, each once, in ascending order
  std::vector<Pair> pairs_;                 // by target
  std::vector<std::uint32_t> slots_;        // open addressing from a target word to its first pair
  std::vector<std::uint32_t> side_;         // positions in words_
  std::vector<std::uint32_t> matched_;      // by position in words_: the last question it was matched in
  std::uint32_t question_ = 0;
};

}  // namespace isogloss::search
