#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/beam.hpp"

namespace isogloss::search {

/// Hypotheses of one coverage × options of one match: a grid, explored from its best corner.
struct Cube {
  std::uint32_t hypotheses_begin, hypotheses_count;  ///< in the group's order
  std::uint32_t options_begin, options_count;
  std::uint32_t coverage;
  std::uint32_t match;
  std::uint32_t after;   ///< coverage after it, kNone until somebody gets there
  std::uint32_t after_parent;  ///< what the open spans of `after` remember of the option that left them
  std::uint32_t parent;  ///< what the open span remembers of the rule that left it
  std::uint32_t group;   ///< where the hypotheses are
  std::uint32_t depth;   ///< which open span is taken
  std::int16_t distortion;  ///< words skipped since the last rule, negative if backward
  bool has_gaps;
  Orientation orientation;  ///< toward what was translated before
  Side side;             ///< of the last rule
  float constant;        ///< what the step adds whatever hypothesis and option
  float rest;            ///< estimate of all that is open afterward
};

/// Finds by which matches hypotheses can go on.
class Cubes {
 public:
  Cubes(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
        Coverages& coverages)
      : task_(task), weights_(weights), limits_(limits), matches_(matches), coverages_(coverages),
        of_group_(task.source.places()) {}

  /// Puts the cubes of a coverage into the groups that they lead to; its hypotheses stand in group `covered` from
  /// `begin` on.
  void add(std::uint32_t coverage, std::size_t covered, std::size_t begin, std::size_t count);

  /// Those that lead to a group, which then has none.
  std::vector<Cube> take(std::size_t covered) { return std::move(of_group_[covered]); }

  /// The coverage after a step, given what the spans that it opens remember of it.
  std::uint32_t coverage_after(const Cube& cube, std::uint32_t parent);

 private:
  void add_matches(Cube cube, std::uint32_t spans);
  float step_score(const Coverage& coverage, const Match& match) const;
  bool has_phrase(Span span) const;
  bool allowed(const Coverage& coverage, const Match& match) const;

  const Task& task_;
  const StepWeights& weights_;
  const BeamOptions& limits_;
  Matches& matches_;
  Coverages& coverages_;
  std::vector<std::vector<Cube>> of_group_;
  std::vector<Span> skipped_;
};

}  // namespace isogloss::search
