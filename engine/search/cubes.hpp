#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/beam.hpp"

namespace isogloss::search {

/// Hypotheses of one coverage, from which cubes go out.
struct CubeSource {
  std::uint32_t coverage;
  std::uint32_t begin, count;  ///< positions among the kept hypotheses
  std::uint32_t parent;        ///< what the open span remembers of the rule that left it
};

/// Hypotheses of one coverage × options of one match: a grid, explored from its best corner.
struct Cube {
  std::uint32_t source;
  std::uint32_t match;
  std::uint32_t options_begin, options_count;
  std::uint32_t after;   ///< coverage after it, kNone until somebody gets there
  std::uint32_t after_parent;  ///< what the open spans of `after` remember of the option that left them
  float constant;        ///< what the step adds whatever hypothesis and option
  float rest;            ///< estimate of all that is open afterward
  std::int16_t distortion;  ///< words skipped since the last rule, negative if backward
  std::uint16_t depth;   ///< which open span is taken
  bool has_gaps;
  Orientation orientation;  ///< toward what was translated before
  Orientation next;      ///< of the last rule toward it
  Side side;             ///< of the last rule
};

/// Finds by which matches hypotheses can go on. Storage is used again by the next search.
class Cubes {
 public:
  void begin(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
             Coverages& coverages);

  /// Puts the cubes of a coverage into the groups that they lead to; it covers `covered` places.
  void add(const CubeSource& source, std::size_t covered);

  /// Those that lead to a group.
  std::vector<Cube>& of(std::size_t covered) { return of_group_[covered]; }
  const CubeSource& source(const Cube& cube) const { return sources_[cube.source]; }

  /// The coverage after a step, given what the spans that it opens remember of it.
  std::uint32_t coverage_after(const Cube& cube, std::uint32_t parent);

 private:
  void add_matches(Cube cube, std::uint32_t spans, std::size_t covered);
  float step_score(const Coverage& coverage, const Match& match) const;
  float rest_after(const Coverage& coverage, const Match& match, std::uint32_t spans, unsigned depth) const;
  bool has_phrase(Span span) const;
  bool allowed(const Coverage& coverage, const Match& match) const;

  const Task* task_ = nullptr;
  const StepWeights* weights_ = nullptr;
  const BeamOptions* limits_ = nullptr;
  Matches* matches_ = nullptr;
  Coverages* coverages_ = nullptr;
  std::vector<CubeSource> sources_;
  std::vector<std::vector<Cube>> of_group_;
  std::vector<Span> skipped_;
};

}  // namespace isogloss::search
