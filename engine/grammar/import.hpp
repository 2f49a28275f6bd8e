#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/rule_text.hpp"
#include "grammar/stage.hpp"
#include "grammar/table_writer.hpp"

namespace isogloss::grammar {

/// A line of an imported file, sorted by its rule.
struct ImportedLine {
  std::uint64_t line = 0;
  std::uint32_t times = 1;
  std::uint16_t source_size = 0, rule_size = 0;

  void add(const ImportedLine& other) {
    times += other.times;
    line = std::max(line, other.line);
  }
};

/// From rules as text, in any order, to the rows of a table. Add all lines, then call `merge`, `resolve` and
/// `write` until each returns false, as with RuleScorer. Memory is bounded.
class RuleImport {
 public:
  RuleImport(ScratchSpace& scratch, std::size_t memory);

  /// Takes lines of rules, joined by line feeds; `line` is the number of the first. The first rule decides
  /// how many scores and counts there are and what they are called. Throws LineError.
  void add(std::string_view lines, std::uint64_t line, RuleFormat format);

  /// Throws LineError about a rule that occurs twice; `in_orientation` then tells in which file.
  bool merge(std::size_t limit);
  bool resolve(std::size_t limit);

  /// Targets of a side come in falling order of the score in `best_column`.
  bool write(std::size_t limit, std::size_t best_column);

  RuleStage::Phrases take_phrases() { return stage_->take_phrases(); }
  TableWriter::Rows take_rows() { return writer_.take(); }

  text::Vocabulary& source_words() { return source_words_; }
  text::Vocabulary& target_words() { return target_words_; }

  /// Names of the score columns, empty where the file has none.
  const std::vector<std::string>& columns() const { return columns_; }
  bool has_counts() const { return has_counts_; }
  std::uint64_t rules() const { return stage_ ? stage_->rules() : 0; }
  std::uint64_t sides() const { return writer_.sides(); }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t without_orientation() const { return without_orientation_; }
  bool has_orientation() const { return has_orientation_; }
  bool in_orientation() const { return in_orientation_; }

 private:
  enum Kind : std::uint8_t { kRule, kOrientation };

  struct Pending {  // a rule of the side being merged; its bytes are in side_bytes_
    std::size_t target, links, values;
    bool oriented;
  };

  void add_rule(const ParsedRule& rule, RuleFormat format, std::uint64_t line);
  void decide_columns(const ParsedRule& rule, RuleFormat format);
  void place_values(const ParsedRule& rule, RuleFormat format, std::uint64_t line);
  std::size_t place_of(const ParsedRule& rule, std::size_t value, std::uint64_t line) const;
  void take_merged();
  void end_side();
  void write_side(std::span<const std::uint8_t> source, std::size_t best_column);

  // What goes with every rule: scores, orientation, counts.
  std::size_t value_count() const {
    return columns_.size() + TableArrays::kOrientations + TableArrays::kCounts;
  }
  std::size_t orientation_at() const { return columns_.size(); }
  std::size_t counts_at() const { return columns_.size() + TableArrays::kOrientations; }

  ScratchSpace* scratch_;
  std::size_t memory_;
  text::Vocabulary source_words_, target_words_;
  std::vector<std::string> columns_;
  bool decided_ = false, named_ = false, has_counts_ = false, has_orientation_ = false,
       in_orientation_ = false;
  std::uint64_t left_out_ = 0, without_orientation_ = 0;
  ParsedRule parsed_;
  std::vector<float> values_;
  std::vector<std::uint8_t> key_;

  RunSorter<ImportedLine, ImportedLine> sorter_;
  std::optional<RunMerger<ImportedLine>> merger_;
  bool more_merged_ = false;
  std::vector<std::uint8_t> source_, side_bytes_;
  std::vector<Pending> pending_;

  std::optional<RuleStage> stage_;
  TableWriter writer_;
  bool resolving_ = false, writing_ = false;
  std::vector<StagedRule> staged_;
  std::vector<WordId> symbols_;
};

}  // namespace isogloss::grammar
