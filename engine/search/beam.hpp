#pragma once

#include <array>
#include <cstdint>

#include "features/scorer.hpp"
#include "search/constraint.hpp"
#include "search/deadline.hpp"
#include "search/estimates.hpp"
#include "search/graph.hpp"
#include "search/hypotheses.hpp"
#include "search/joint_scores.hpp"
#include "search/matches.hpp"

namespace isogloss::search {

/// In which order phrases may be translated when the search is not hierarchical.
enum class PhraseOrder : std::uint8_t {
  kMonotone,     ///< from left to right
  kSwap,         ///< neighboring phrases may change places
  kDistortion,   ///< any order within the distortion limit
};

struct BeamMemory;

/// Limits of the search. All but the deadline are in work, not in time, so that results can be repeated.
struct BeamOptions {
  unsigned beam_size = 100;      ///< hypotheses kept per number of covered words; 0 keeps all
  unsigned pop_limit = 200;      ///< extensions tried per number of covered words; 0 tries all
  float threshold = 0;           ///< hypotheses worse than the best by more than this are dropped; 0: none
  bool diversity = true;         ///< every coverage contributes its best before any contributes many; hierarchical only
  PhraseOrder phrase_order = PhraseOrder::kDistortion;
  unsigned distortion_limit = 6; ///< longest distortion of the phrase search, in words
  /// From here on only the best hypothesis of each group goes on; results then depend on the machine's mood.
  Deadline deadline;
};

/// Weights of what is scored while hypotheses are built; all else is in the options.
struct StepWeights {
  float language_model = 0;      ///< of log10 probabilities
  float joint = 0;               ///< of the joint model's log probabilities
  float backtrack = 0;           ///< of every distortion
  float distance_rule = 0;       ///< of distortions to rules from the table
  float distance_glue = 0;       ///< of distortions to glue
  float reordering = 0;          ///< of matches that reorder
  ArcScores arc_scores{};        ///< of source arcs, by kind
  std::array<float, 4> glue{};   ///< of each kind of glue
};

/// What is to be searched.
struct Task {
  const Source& source;
  const Options& options;
  const Estimates& estimates;
  const lm::Model& language_model;
  features::SparseScorer* sparse;    ///< nullptr without sparse features
  Constraint* constraint = nullptr;  ///< of which the options know too; if the model does not count, no weight does
  bool with_orientation = false;     ///< whether options carry orientation scores, or sparse features ask for it
  bool with_next = false;            ///< whether they carry scores toward the step after
  bool with_sides = false;           ///< whether sparse features ask on which side of the last rule a rule stands
  JointScores* joint = nullptr;      ///< of the sentence; nullptr without a joint model, or if it weighs nothing
};

/// Searches for translations and leaves the graph of all that was kept. Grouped by the number of places covered;
/// in each group the best combinations of an earlier hypothesis and an option are tried first (cube pruning).
/// With `beam_size`, `pop_limit` and `threshold` 0 it is exhaustive.
Graph search(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
             Coverages& coverages, BeamStatistics& statistics, BeamMemory& memory);

}  // namespace isogloss::search
