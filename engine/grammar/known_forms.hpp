#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/word.hpp"
#include "grammar/table.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::grammar {

/// Values by text, found without a copy of the text.
template <class Value>
struct ByText {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::vector<Value>, Hash, std::equal_to<>> values;

  std::span<const Value> operator[](std::string_view text) const {
    const auto found = values.find(text);
    return found == values.end() ? std::span<const Value>() : std::span<const Value>(found->second);
  }
};

/// How words are made from others, as isogloss.grammar.word_forms has learned it. Scores are logarithms.
struct WordEvidence {
  struct Change {
    double score;
    std::string other;  ///< what is replaced becomes this
  };
  struct Joint {
    double share;      ///< how often it was right
    std::string lost;  ///< by the first part of a compound
  };

  ByText<Change> endings, beginnings;                     ///< by what is replaced
  std::vector<std::pair<std::string, double>> insertions;  ///< letters inside a form, which become none
  ByText<Joint> joints;                                   ///< by the letters that join two parts
  std::vector<double> lengths;                            ///< how often parts of so many letters were right
  std::span<const std::uint16_t> parts;  ///< by word: as first part right and seen, as last part right and seen
};

/// Source words that a word may be translated as.
struct WordWay {
  double score;
  std::vector<std::string> words;
  bool split;  ///< parts of the word; or else another form of it
};

/// A word that has no rules, in the shapes that matter.
struct UnseenWord {
  std::string_view form;      ///< in lower case
  std::string_view capitals;  ///< in capitals
  std::string_view plain;     ///< `form` without marks on its letters, of which it has as many
  double plain_score;         ///< minus infinity if `plain` says nothing
};

/// Finds known words, those with rules of their own, that an unseen word may be made of.
///
/// Hundreds of forms are tried for a word and hardly any is known, so this is here and not in Python. `words`, `table`
/// and the spans of the evidence must outlive it.
class KnownForms {
 public:
  /// Throws TableError if there is not one row of parts for every word.
  KnownForms(const text::Vocabulary& words, const RuleTable& table, WordEvidence evidence);

  /// Other forms of the word, then its parts, the most trusted first. With `further`, where nothing is found, forms
  /// with two changes, parts with other endings and parts beside letters that nobody knows.
  std::vector<WordWay> ways(const UnseenWord& word, bool further) const;

 private:
  class Search;

  /// The known word with this form in lower case, or kNoWord.
  WordId find(std::string_view form) const;
  WordId with_rules(std::string_view word) const;

  const text::Vocabulary& words_;
  const RuleTable& table_;
  WordEvidence evidence_;
  std::size_t longest_joint_ = 0;
  std::vector<std::uint64_t> marks_;  ///< a bit for the hash of every word: most that are not known have none
};

}  // namespace isogloss::grammar
