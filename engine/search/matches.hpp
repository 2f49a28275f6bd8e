#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/deadline.hpp"
#include "search/options.hpp"
#include "search/source.hpp"

namespace isogloss::search {

/// Which matches there are for a span, beyond the table's own.
struct MatchLimits {
  bool hierarchical = true;      ///< gap rules and the four kinds of glue; otherwise phrases anywhere in the span
  bool gap_rules = true;         ///< whether rules with non-terminals are used
  bool reordering_glue = true;   ///< whether glue may leave something open on its left
  unsigned distortion_limit = 6; ///< widest gap, in words, that glue leaves open on its left
  unsigned most_skipped = ~0u;   ///< words that a phrase may leave open on its left, if there are no gap rules
};

/// All matches of a span, found when first asked for: most spans are never opened.
class Matches {
 public:
  /// After the deadline, or if there are too many, matches of further spans begin where the span does: from left to
  /// right there always is a translation.
  Matches(const Source& source, const Options& options, const MatchLimits& limits, Deadline deadline = {});

  /// Numbers of the span's matches; `match` gives what is behind a number.
  struct Range {
    std::uint32_t begin, end;
  };
  Range of(Span span);
  const Match& match(std::uint32_t number) const { return all_[number]; }
  const MatchLimits& limits() const { return limits_; }

 private:
  void build(Span span);
  void add_phrase_inside(Span span, const Match& phrase);
  void add_glue(Span span, const Match& phrase, RuleKind kind, Span first, Span second);

  const Source& source_;
  const Options& options_;
  MatchLimits limits_;
  Deadline deadline_;
  std::vector<std::uint32_t> phrases_, phrases_begin_;  // plain phrases, by where they begin
  std::vector<Range> ranges_;
  std::vector<Match> all_;
};

}  // namespace isogloss::search
