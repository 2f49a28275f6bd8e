#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/counter.hpp"
#include "grammar/smoothing.hpp"
#include "grammar/stage.hpp"
#include "grammar/table_writer.hpp"

namespace isogloss::grammar {

struct ScoreOptions {
  Smoothing smoothing = Smoothing::none;
  bool orientation = true;
  /// Added to each of the three orientation counts of a rule.
  double orientation_smoothing = 0.5;
};

/// The second half of extraction: from sorted runs of rules to the rows of a table. Three steps, each in
/// calls of limited work that return false when the step is done:
///
/// 1. `merge` brings equal rules together and picks each one's most frequent inner alignment, the smallest
///    list of (target, source) points of several;
/// 2. `resolve` gathers rules by target side; take phrases away between calls;
/// 3. `write` computes the columns and lays out the table; take rows away between calls.
///
/// Score columns: log p(target|source), log p(source|target), log lexical weight of the target given the
/// source, and of the source given the target.
class RuleScorer {
 public:
  static constexpr std::size_t kColumns = 4;

  /// Takes over what the counter has collected; the counter must outlive the scorer.
  RuleScorer(RuleCounter& counter, ScratchSpace& scratch, std::size_t memory, const ScoreOptions& options);

  bool merge(std::size_t limit);
  bool resolve(std::size_t limit);
  bool write(std::size_t limit);

  RuleStage::Phrases take_phrases() { return stage_.take_phrases(); }
  TableWriter::Rows take_rows() { return writer_.take(); }

  std::uint64_t rules() const { return stage_.rules(); }
  std::uint64_t sides() const { return sides_; }
  std::uint64_t phrases() const { return stage_.phrases(); }
  const Discounts& discounts() const { return discounts_; }

 private:
  struct Totals {  // of a rule, over its inner alignments
    std::uint64_t count = 0;
    std::uint32_t seen = 0;
    std::uint32_t orientation[4] = {};
  };
  struct Pending {  // a rule of the side being merged; its bytes are in side_bytes_
    std::size_t target, links, end;
    Totals totals;
    std::uint32_t best_seen;
  };
  struct Scored {
    const StagedRule* rule;
    Totals totals;
    double target_given_source;
  };

  void take_merged();
  void end_side();
  void write_side(std::span<const std::uint8_t> source, const std::vector<StagedRule>& rules);
  void write_rule(const Scored& scored, double source_count);

  const Lexicon* lexicon_;
  ScoreOptions options_;
  RunMerger<RuleSum> merger_;
  bool more_merged_;
  RuleStage stage_;
  Discounts discounts_;
  TableWriter writer_;
  std::uint64_t sides_ = 0;
  int step_ = 0;

  std::vector<std::uint8_t> source_, side_bytes_;
  std::vector<Pending> pending_;
  std::vector<StagedRule> staged_;
  std::vector<Scored> scored_;
  std::vector<WordId> symbols_, words_;
};

}  // namespace isogloss::grammar
