#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"
#include "grammar/rule_text.hpp"
#include "text/quoted.hpp"

namespace isogloss::grammar {
namespace {

bool is_gap(std::string_view token) {
  std::string_view name;
  return gap_index(token, name) != 0;
}

/// Six digits, as Moses prints them: more would only show how logarithms are rounded.
void append_probability(std::string& out, float logarithm) {
  char digits[32];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, std::exp(static_cast<double>(logarithm)),
                    std::chars_format::general, 6);
  out.append(digits, error == std::errc() ? end : digits);
}

class Printer {
 public:
  Printer(const RuleTable& table, const text::Vocabulary& source_words, const text::Vocabulary& target_words,
          RuleFormat format, const std::vector<PrintedColumn>& columns, std::string& out)
      : table_(table),
        source_(source_words),
        target_(target_words),
        format_(format),
        columns_(columns),
        out_(out) {}

  void print(const SideView& side) {
    if (side.gaps > 0 && format_ != RuleFormat::hiero)
      throw std::invalid_argument(
          "a Moses phrase table cannot hold rules with non-terminals; use the Hiero format");
    table_.symbols(side.node, symbols_);
    for (std::uint32_t number = side.first_rule; number < side.last_rule; ++number) {
      const RuleView rule = table_.rule(number, side);
      if (format_ == RuleFormat::hiero) out_ += "[X] ||| ";
      print_source();
      fence();
      print_target(rule);
      fence();
      if (format_ == RuleFormat::hiero) print_features(number);
      if (format_ == RuleFormat::moses) print_probabilities(table_.scores(number));
      if (format_ == RuleFormat::moses_orientation) print_all(table_.orientation(number));
      if (format_ != RuleFormat::moses_orientation) {
        fence();
        print_links(rule);
      }
      if (format_ == RuleFormat::moses) print_counts(number);
      out_ += '\n';
    }
  }

 private:
  void fence() { out_ += " ||| "; }

  void space() {
    if (out_.back() != ' ') out_ += ' ';
  }

  void print_word(const text::Vocabulary& words, WordId id) {
    if (id >= words.size()) throw TableError("a word does not exist");
    const std::string_view word = words.word(id);
    if (word == kFieldSign || (format_ == RuleFormat::hiero && is_gap(word)))
      throw std::invalid_argument("the word " + text::quoted(word) +
                                  " has a special meaning in this format; replace it in the corpus");
    out_ += word;
  }

  void print_source() {
    unsigned gap = 0;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if (i > 0) out_ += ' ';
      if (symbols_[i] == kGap)
        print_gap(++gap);
      else
        print_word(source_, symbols_[i]);
    }
  }

  void print_target(const RuleView& rule) {
    for (std::size_t i = 0; i < rule.words.size(); ++i) {
      if (i > 0) out_ += ' ';
      print_word(target_, rule.words[i]);
    }
    const unsigned gaps = gap_count(rule.shape);
    for (unsigned i = 1; i <= gaps; ++i) {
      out_ += ' ';
      print_gap(rule.shape == Shape::two_gaps_swapped ? 3 - i : i);
    }
  }

  void print_gap(unsigned index) {
    out_ += "[X,";
    append_number(out_, index);
    out_ += ']';
  }

  void print_features(std::uint32_t number) {
    const auto feature = [this](std::string_view name, float value) {
      space();
      out_ += name;
      out_ += '=';
      append_number(out_, value);
    };
    const std::span<const float> scores = table_.scores(number);
    for (const PrintedColumn& column : columns_) feature(column.name, scores[column.column]);
    const std::span<const float> orientation = table_.orientation(number);
    for (std::size_t i = 0; i < orientation.size(); ++i) feature(kOrientationNames[i], orientation[i]);
  }

  void print_probabilities(std::span<const float> scores) {
    for (const PrintedColumn& column : columns_) {
      space();
      append_probability(out_, scores[column.column]);
    }
  }

  void print_all(std::span<const float> logarithms) {
    for (const float value : logarithms) {
      space();
      append_probability(out_, value);
    }
  }

  void print_links(const RuleView& rule) {
    links_.clear();
    for (std::size_t i = 0; i < rule.links.size(); i += 2)
      links_.push_back({rule.links[i], rule.links[i + 1]});
    std::sort(links_.begin(), links_.end());
    for (const auto& [source, target] : links_) {
      space();
      append_number(out_, static_cast<unsigned>(source));
      out_ += '-';
      append_number(out_, static_cast<unsigned>(target));
    }
  }

  void print_counts(std::uint32_t number) {
    const std::span<const float> counts = table_.counts(number);
    if (counts.empty()) return;
    fence();
    append_number(out_, counts[2]);
    out_ += ' ';
    append_number(out_, counts[1]);
    out_ += ' ';
    append_number(out_, counts[0]);
  }

  const RuleTable& table_;
  const text::Vocabulary& source_;
  const text::Vocabulary& target_;
  RuleFormat format_;
  const std::vector<PrintedColumn>& columns_;
  std::string& out_;
  std::vector<WordId> symbols_;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> links_;
};

}  // namespace

void print_rules(const RuleTable& table, const text::Vocabulary& source_words, const text::Vocabulary& target_words,
                 RuleFormat format, const std::vector<PrintedColumn>& columns, RuleTable::Node begin,
                 RuleTable::Node end, std::string& out) {
  for (const PrintedColumn& column : columns)
    if (column.column >= table.columns()) throw std::invalid_argument("no such score column");
  if (end > table.node_count()) throw std::invalid_argument("no such node");
  Printer printer(table, source_words, target_words, format, columns, out);
  for (RuleTable::Node node = begin; node < end; ++node)
    if (table.has_rules(node)) printer.print(table.side(node));
}

}  // namespace isogloss::grammar
