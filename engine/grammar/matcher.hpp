#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "grammar/table.hpp"

namespace isogloss::grammar {

/// A source side laid over a span of a sentence, and what its gaps cover, in source order.
struct Match {
  struct Gap {
    std::uint16_t begin, end;
  };

  std::uint32_t side;  ///< index into SideMatcher::sides()
  std::uint16_t begin, end;
  Gap gaps[2];
};

/// Finds the source sides of a table that match somewhere in a sentence. One per thread; storage is reused
/// from sentence to sentence.
class SideMatcher {
 public:
  /// Longest sentence that matches can address, in words.
  static constexpr std::size_t kLongest = 65535;

  explicit SideMatcher(const RuleTable& table) : table_(&table) {}

  /// Finds all matches; sides with gaps only within spans of at most `max_span` words, every gap at least
  /// one word. Throws std::invalid_argument if the sentence is longer than kLongest.
  void match(std::span<const WordId> sentence, unsigned max_span) { run(sentence, max_span, true); }

  /// Finds the sides only, which is cheaper: `matches()` stays empty.
  void match_sides(std::span<const WordId> sentence, unsigned max_span) { run(sentence, max_span, false); }

  /// The distinct sides found, in the order of being found.
  const std::vector<SideView>& sides() const { return sides_; }

  /// Matches by begin, then end.
  const std::vector<Match>& matches() const { return matches_; }

  /// Matches that cover [begin, end) exactly.
  std::span<const Match> matches(unsigned begin, unsigned end) const;

 private:
  void run(std::span<const WordId> sentence, unsigned max_span, bool positions);
  void walk(RuleTable::Node node, unsigned at);
  void open_gap(RuleTable::Node node, unsigned at, bool after_word);
  void found(RuleTable::Node node, unsigned end);
  void found_to(RuleTable::Node node, unsigned first, unsigned last);
  void keep(std::uint32_t side, unsigned begin, unsigned end);
  std::uint32_t side_of(RuleTable::Node node);
  void sort_matches();

  /// Where a match that has come so far must end at the latest.
  unsigned limit() const;

  const RuleTable* table_;
  std::span<const WordId> sentence_;
  unsigned max_span_ = 0;
  bool positions_ = true;

  // The side being walked: where it began (or, with a gap in front, that it may begin anywhere before the
  // gap's end), and its gaps.
  bool leading_gap_ = false;
  unsigned begin_ = 0, gap_count_ = 0;
  Match::Gap gaps_[2] = {};

  std::vector<SideView> sides_;
  Index side_index_;  // by node
  std::vector<Match> matches_, sorted_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace isogloss::grammar
