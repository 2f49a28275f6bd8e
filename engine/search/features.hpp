#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "search/beam.hpp"
#include "search/collector.hpp"

namespace isogloss::search {

/// The dense features of a search and their order: those of the language model and the rule table first, then
/// what the search itself counts, then the joint model if there is one.
class FeatureLayout {
 public:
  enum Counted : std::size_t {
    kWords,
    kRules,
    kUnknown,
    kInsertions,
    kDeletions,
    kBacktrack,
    kDistanceRule,
    kDistanceGlue,
    kReordering,
    kGluePhraseGap,
    kGlueGapPhrase,
    kGlueGaps,
    kGlueGapsSwapped,
    kArcs,
    kPrevious,                    ///< orientation toward the step before: monotone, swap, discontinuous
    kNext = kPrevious + 3,        ///< toward the step after
    kSplit = kNext + 3,           ///< only with offers, from here on: scores of their arcs, by kind
    kCounted = kSplit + kArcKinds - 1
  };

  explicit FeatureLayout(std::size_t table_columns, bool with_offers = false, bool with_joint = false)
      : table_columns_(table_columns), with_offers_(with_offers), with_joint_(with_joint) {}

  std::size_t size() const { return joint() + with_joint_; }
  std::size_t language_model() const { return 0; }
  std::size_t table(std::size_t column) const { return 1 + column; }
  std::size_t counted(std::size_t feature) const { return 1 + table_columns_ + feature; }
  std::size_t table_columns() const { return table_columns_; }
  bool with_offers() const { return with_offers_; }
  bool with_joint() const { return with_joint_; }
  std::size_t joint() const { return 1 + table_columns_ + (with_offers_ ? kCounted : kSplit); }

  /// Names of all features, in order.
  std::vector<std::string> names(std::span<const std::string> table_columns) const;

 private:
  std::size_t table_columns_;
  bool with_offers_;  // words may have other sources than the sentence: see ArcKind
  bool with_joint_;
};

/// A weight for each feature of a layout, taken apart for those who use them.
struct SearchWeights {
  /// Throws std::invalid_argument if there are not as many as the layout has features or one is not finite.
  SearchWeights(const FeatureLayout& layout, std::span<const double> weights);

  RuleWeights rule;
  StepWeights step;
  bool with_orientation;  ///< whether any orientation weighs anything
  bool with_next;         ///< whether one toward the step after does
};

}  // namespace isogloss::search
