#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "grammar/aligned_text.hpp"
#include "grammar/rule_text.hpp"
#include "text/quoted.hpp"

namespace isogloss::grammar {
namespace {

constexpr std::size_t kMostSymbols = 255;

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  const auto trim = [](std::string_view text) {
    while (!text.empty() && text::is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && text::is_space(text.back())) text.remove_suffix(1);
    return text;
  };
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = line.find(kFieldSign, at)) != line.npos;) {
    // A fence stands alone: "a|||b" is a word.
    const bool alone =
        (at == 0 || text::is_space(line[at - 1])) && (at + 3 == line.size() || text::is_space(line[at + 3]));
    if (alone) {
      fields.push_back(trim(line.substr(begin, at - begin)));
      begin = at + 3;
    }
    at += 3;
  }
  fields.push_back(trim(line.substr(begin)));
  return fields;
}

class Parser {
 public:
  Parser(std::uint64_t number, RuleFormat format, text::Vocabulary& source_words, text::Vocabulary& target_words,
         ParsedRule& rule)
      : number_(number),
        format_(format),
        source_words_(source_words),
        target_words_(target_words),
        rule_(rule) {}

  bool parse(std::string_view line) {
    rule_ = {};
    std::vector<std::string_view> fields = split_fields(line);
    const bool hiero = format_ == RuleFormat::hiero;
    const std::size_t least = hiero ? 4 : 3;
    if (fields.size() < least)
      throw LineError("at least " + std::to_string(least) + " fields expected between ' ||| ', found " +
                          std::to_string(fields.size()),
                      number_,
                      hiero ? "a Hiero rule is '[X] ||| source ||| target ||| values'"
                            : "a Moses rule is 'source ||| target ||| values'");
    if (hiero) {
      if (fields[0].size() < 3 || fields[0].front() != '[' || fields[0].back() != ']')
        throw LineError("the left-hand side " + text::quoted(fields[0]) + " is not a non-terminal", number_,
                        "write it in brackets: [X]");
      if (fields[0] != "[X]") return false;
      fields.erase(fields.begin());
    }
    parse_values(fields[2]);
    if (!parse_source(fields[0]) || !parse_target(fields[1])) return false;
    if (fields.size() > 3 && format_ != RuleFormat::moses_orientation) parse_links(fields[3]);
    if (fields.size() > 4 && format_ == RuleFormat::moses)
      for_each_word(fields[4], [&](std::string_view text) { rule_.counts.push_back(parse_number(text)); });
    return true;
  }

 private:
  bool parse_source(std::string_view field) {
    bool words = false, sound = true;
    for_each_word(field, [&](std::string_view token) {
      std::string_view name;
      const unsigned index = gap_of(token, name);
      if (index == 0) {
        rule_.source.push_back(source_words_.add(token));
        words = true;
        return;
      }
      if (name != "X" || gaps_.size() == 2) sound = false;
      if (std::find(gaps_.begin(), gaps_.end(), index) != gaps_.end())
        throw LineError("the non-terminal " + std::string(token) + " occurs twice on the source side", number_);
      gaps_.push_back(index);
      rule_.source.push_back(kGap);
    });
    check_length(field, rule_.source.size(), "source");
    return sound && words;
  }

  bool parse_target(std::string_view field) {
    std::vector<unsigned> gaps;
    bool sound = true;
    for_each_word(field, [&](std::string_view token) {
      std::string_view name;
      const unsigned index = gap_of(token, name);
      if (index == 0) {
        if (!gaps.empty()) sound = false;
        rule_.target.push_back(target_words_.add(token));
        return;
      }
      if (std::find(gaps_.begin(), gaps_.end(), index) == gaps_.end() ||
          std::find(gaps.begin(), gaps.end(), index) != gaps.end())
        throw LineError(
            "the non-terminal " + std::string(token) + " of the target side is missing on the source side", number_,
            "each non-terminal must occur once on each side");
      gaps.push_back(index);
    });
    check_length(field, rule_.target.size() + gaps.size(), "target");
    if (gaps.size() != gaps_.size())
      throw LineError("the two sides have " + std::to_string(gaps_.size()) + " and " +
                          std::to_string(gaps.size()) + " gaps",
                      number_, "each non-terminal must occur once on each side");
    if (gaps.size() == 1) rule_.shape = Shape::one_gap;
    if (gaps.size() == 2) rule_.shape = gaps == gaps_ ? Shape::two_gaps : Shape::two_gaps_swapped;
    return sound && !rule_.target.empty();
  }

  unsigned gap_of(std::string_view token, std::string_view& name) const {
    if (format_ == RuleFormat::hiero) {
      if (token.size() == 3 && token.front() == '[' && token.back() == ']' && token[1] >= '1' &&
          token[1] <= '9')
        return name = "X", static_cast<unsigned>(token[1] - '0');
      return gap_index(token, name);
    }
    if (token.size() >= 6 && token.front() == '[' && token.back() == ']' && token.find("][") != token.npos)
      throw LineError(text::quoted(token) + " is a non-terminal, which a phrase table cannot have", number_,
                      "read hierarchical grammars in the Hiero format");
    return 0;
  }

  void check_length(std::string_view field, std::size_t symbols, const char* side) const {
    if (field.empty()) throw LineError(std::string("the ") + side + " side is empty", number_);
    if (symbols > kMostSymbols)
      throw LineError(std::string("the ") + side + " side has " + std::to_string(symbols) +
                          " symbols, at most " + std::to_string(kMostSymbols) + " are allowed",
                      number_);
  }

  void parse_values(std::string_view field) {
    for_each_word(field, [&](std::string_view text) {
      const std::size_t equals = format_ == RuleFormat::hiero ? text.rfind('=') : text.npos;
      rule_.names.push_back(equals == text.npos ? std::string_view() : text.substr(0, equals));
      rule_.values.push_back(parse_number(equals == text.npos ? text : text.substr(equals + 1)));
    });
    if (format_ == RuleFormat::moses_orientation && rule_.values.size() != 6)
      throw LineError("6 probabilities expected, found " + std::to_string(rule_.values.size()), number_,
                      "monotone, swap and discontinuous are read in both directions (msd-bidirectional)");
  }

  double parse_number(std::string_view text) const {
    const auto value = parse_double(text);
    if (!value || !std::isfinite(*value)) throw LineError(text::quoted(text) + " is not a number", number_);
    return *value;
  }

  void parse_links(std::string_view field) {
    std::vector<std::pair<std::uint8_t, std::uint8_t>> links;
    for_each_word(field, [&](std::string_view text) {
      const std::size_t dash = text.find('-');
      const auto source = parse_unsigned(text.substr(0, dash));
      const auto target = dash == text.npos ? std::nullopt : parse_unsigned(text.substr(dash + 1));
      const std::size_t target_symbols = rule_.target.size() + gap_count(rule_.shape);
      if (!source || !target || *source >= rule_.source.size() || *target >= target_symbols)
        throw LineError(text::quoted(text) + " is not a link between words of the rule", number_,
                        "links are source-target positions within the rule, counted from 0");
      // Links between gaps say nothing that the gaps' numbers do not.
      if (rule_.source[*source] != kGap && *target < rule_.target.size())
        links.emplace_back(static_cast<std::uint8_t>(*target), static_cast<std::uint8_t>(*source));
    });
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    for (const auto& [target, source] : links) {
      rule_.links.push_back(target);
      rule_.links.push_back(source);
    }
  }

  std::uint64_t number_;
  RuleFormat format_;
  text::Vocabulary& source_words_;
  text::Vocabulary& target_words_;
  ParsedRule& rule_;
  std::vector<unsigned> gaps_;  // indices of the source side's gaps, in order
};

}  // namespace

unsigned gap_index(std::string_view token, std::string_view& name) {
  if (token.size() < 5 || token.front() != '[' || token.back() != ']') return 0;
  const std::size_t comma = token.find(',');
  if (comma == token.npos || comma < 2) return 0;
  name = token.substr(1, comma - 1);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }))
    return 0;
  const auto index = parse_unsigned(token.substr(comma + 1, token.size() - comma - 2));
  return index && *index >= 1 && *index < 1000 ? static_cast<unsigned>(*index) : 0;
}

bool parse_rule(std::string_view line, std::uint64_t number, RuleFormat format, text::Vocabulary& source_words,
                text::Vocabulary& target_words, ParsedRule& rule) {
  return Parser(number, format, source_words, target_words, rule).parse(line);
}

}  // namespace isogloss::grammar
