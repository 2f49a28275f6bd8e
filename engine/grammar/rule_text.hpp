// Rules as lines of text, in the two forms that other tools read and write.
//
//   Moses    source ||| target ||| probabilities ||| links ||| counts of target, source and pair
//            source ||| target ||| six orientation probabilities
//   Hiero    [X] ||| source ||| target ||| values or name=value ||| links      gaps as [X,1] and [X,2]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/table.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::grammar {

enum class RuleFormat : std::uint8_t { moses, moses_orientation, hiero };

/// Stands between the fields of a line.
inline constexpr std::string_view kFieldSign = "|||";

/// What the orientation columns are called among the values of a Hiero rule.
inline constexpr std::string_view kOrientationNames[] = {
    "previous_monotone", "previous_swap", "previous_discontinuous",
    "next_monotone",     "next_swap",     "next_discontinuous"};

/// The index of a gap written "[NAME,index]", with its NAME; 0 if the token is an ordinary word.
unsigned gap_index(std::string_view token, std::string_view& name);

/// Appends the rules of the nodes in [begin, end) to `out`. `columns` says which score columns are printed,
/// in which order, under which names (Hiero). Throws std::invalid_argument if a rule has gaps and the format
/// has none, or if a word could not be told from the format's own signs.
struct PrintedColumn {
  std::uint32_t column;
  std::string name;
};
void print_rules(const RuleTable& table, const text::Vocabulary& source_words, const text::Vocabulary& target_words,
                 RuleFormat format, const std::vector<PrintedColumn>& columns, RuleTable::Node begin,
                 RuleTable::Node end, std::string& out);

/// A rule read from a line; empty text in place of words that were not there.
struct ParsedRule {
  std::vector<WordId> source;  ///< words and kGap
  std::vector<WordId> target;
  Shape shape = Shape::plain;
  std::vector<std::uint8_t> links;  ///< (target, source symbol) bytes, sorted
  std::vector<std::string_view> names;
  std::vector<double> values;
  std::vector<double> counts;
};

/// Reads a line. False if it is a sound rule but none this table can hold: another left-hand side than X, no
/// source word, a target side that is not words followed by gaps. Throws LineError if it is malformed.
/// Words that are new get numbers.
bool parse_rule(std::string_view line, std::uint64_t number, RuleFormat format, text::Vocabulary& source_words,
                text::Vocabulary& target_words, ParsedRule& rule);

}  // namespace isogloss::grammar
