// The rules that match one source sentence, as the search uses them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/phrase.hpp"
#include "search/lexical.hpp"
#include "search/source.hpp"

namespace isogloss::search {

/// A target phrase that a source side can become. What does not depend on the hypothesis is computed once.
struct Option {
  std::uint32_t rule;         ///< its number in the table, or kPassedThrough or kFixed
  std::uint32_t words_begin;  ///< target words, in `Options::words` and `Options::lm_words`
  std::uint16_t word_count;
  Unmatched unmatched;        ///< words without a counterpart
  std::array<float, 3> previous, next;  ///< weighted, toward its neighbors, by Orientation
  float constant;             ///< weighted features that are the same wherever the rule is used
  float optimistic_score;     ///< constant + weighted language-model score without context
};
inline constexpr std::uint32_t kPassedThrough = 0xffffffffu;  ///< a word that nothing translates
inline constexpr std::uint32_t kFixed = 0xfffffffeu;  ///< the translation was given with the source

inline bool is_from_table(std::uint32_t rule) { return rule < kFixed; }

/// How a match came about; each kind of glue has a counting feature of its own.
enum class RuleKind : std::uint8_t {
  kRule,           ///< from the table
  kPhraseThenGap,  ///< glue ⟨p X1, b̄ X1⟩
  kGapThenPhrase,  ///< glue ⟨X1 p, b̄ X1⟩
  kGapsInOrder,    ///< glue ⟨X1 p X2, b̄ X1 X2⟩
  kGapsSwapped,    ///< glue ⟨X1 p X2, b̄ X2 X1⟩
};

/// A source side matched somewhere: its options and the spans it leaves open.
struct Match {
  Span span;                 ///< all of it, gaps included
  std::array<Span, 2> gap_spans;  ///< the first `gap_count`, in the order in which they are to be translated
  std::uint8_t gap_count;
  RuleKind kind;
  bool loose;                ///< a phrase inside the span, not a rule that covers it
  bool reordering;           ///< something of it is translated before something to its left
  Place first, last;         ///< where its first word begins and its last word ends
  std::uint32_t options_begin, options_end;  ///< highest optimistic score first
  ArcScores arc_scores;      ///< summed scores of the source arcs under its words, by kind

  std::span<const Span> gaps() const { return {gap_spans.data(), gap_count}; }
  /// The block whose orientation is scored: a rule's own span, the phrase alone for glue, as they were counted.
  Span block() const { return kind == RuleKind::kRule && !loose ? span : Span{first, last}; }
  /// Places covered by its own words.
  unsigned covered() const {
    unsigned width = span.width();
    for (const Span& gap : gaps()) width -= gap.width();
    return width;
  }
};

/// What the table has for one sentence: options, and matches by span.
struct Options {
  std::size_t places = 0;
  std::vector<WordId> words;                 ///< in the rule table's target vocabulary
  std::vector<WordId> lm_words;              ///< the same words as the language model numbers them
  std::vector<WordId> constraint_words;      ///< the same words as the constraint numbers them; empty without one
  std::vector<std::uint32_t> joint_words;    ///< the same words as the joint model numbers them; empty without one
  std::vector<Place> joint_positions;        ///< the source positions that they belong to; empty without one
  std::vector<std::uint32_t> joint_ends;     ///< by option: the joint model's history after it, if it is longer than that
  std::vector<Option> options;
  std::vector<lm::ScoredPhrase> phrases;     ///< of the options, as the language model sees them; not set if it weighs nothing
  std::vector<std::uint32_t> sides;          ///< of the options: nodes of their source sides, if sparse features ask
  std::vector<Match> matches;                ///< of kind kRule only, those of one span together
  std::vector<std::uint32_t> matches_begin;  ///< by span number, one more than there are spans

  std::size_t span_number(Span span) const { return std::size_t{span.begin} * places + span.end; }

  std::span<const Match> of(Span span) const {
    const std::size_t number = span_number(span);
    return {matches.data() + matches_begin[number], matches_begin[number + 1] - matches_begin[number]};
  }
  std::span<const WordId> lm_target(const Option& option) const {
    return {lm_words.data() + option.words_begin, option.word_count};
  }
  std::span<const WordId> constraint_target(const Option& option) const {
    return {constraint_words.data() + option.words_begin, option.word_count};
  }
  std::span<const WordId> target(const Option& option) const {
    return {words.data() + option.words_begin, option.word_count};
  }
};

}  // namespace isogloss::search
