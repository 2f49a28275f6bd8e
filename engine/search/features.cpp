#include "search/features.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace isogloss::search {

std::vector<std::string> FeatureLayout::names(std::span<const std::string> table_columns) const {
  std::vector<std::string> names{"lm"};
  names.insert(names.end(), table_columns.begin(), table_columns.end());
  for (const char* counted :
       {"words", "rules", "unknown", "insertions", "deletions", "backtrack", "distance_rule", "distance_glue",
        "reordering", "glue_phrase_gap", "glue_gap_phrase", "glue_gaps", "glue_gaps_swapped", "arcs",
        "previous_monotone", "previous_swap", "previous_discontinuous", "next_monotone", "next_swap",
        "next_discontinuous"})
    names.emplace_back(counted);
  if (with_offers_)
    for (const char* kind : {"split", "related", "dictionary", "rewritten"}) names.emplace_back(kind);
  if (with_joint_) names.emplace_back("joint");
  return names;
}

SearchWeights::SearchWeights(const FeatureLayout& layout, std::span<const double> weights) {
  if (weights.size() != layout.size())
    throw std::invalid_argument(std::to_string(weights.size()) + " weights for " + std::to_string(layout.size()) +
                                " features");
  for (double weight : weights)
    if (!std::isfinite(weight)) throw std::invalid_argument("a weight is not a finite number");
  const auto counted = [&](std::size_t feature) { return static_cast<float>(weights[layout.counted(feature)]); };
  for (std::size_t i = 0; i < layout.table_columns(); ++i)
    rule.table.push_back(static_cast<float>(weights[layout.table(i)]));
  rule.word_count = counted(FeatureLayout::kWords);
  rule.rule_count = counted(FeatureLayout::kRules);
  rule.unknown = counted(FeatureLayout::kUnknown);
  rule.insertion = counted(FeatureLayout::kInsertions);
  rule.deletion = counted(FeatureLayout::kDeletions);
  // The feature is a natural logarithm, the model's answers are not.
  rule.language_model = static_cast<float>(weights[layout.language_model()] * std::numbers::ln10);
  step.language_model = rule.language_model;
  if (layout.with_joint()) rule.joint = step.joint = static_cast<float>(weights[layout.joint()]);
  step.backtrack = counted(FeatureLayout::kBacktrack);
  step.distance_rule = counted(FeatureLayout::kDistanceRule);
  step.distance_glue = counted(FeatureLayout::kDistanceGlue);
  step.reordering = counted(FeatureLayout::kReordering);
  step.arc_scores[0] = counted(FeatureLayout::kArcs);
  for (std::size_t kind = 1; layout.with_offers() && kind < kArcKinds; ++kind)
    step.arc_scores[kind] = counted(FeatureLayout::kSplit + kind - 1);
  for (std::size_t i = 0; i < step.glue.size(); ++i) step.glue[i] = counted(FeatureLayout::kGluePhraseGap + i);
  with_orientation = with_next = false;
  for (std::size_t i = 0; i < 3; ++i) {
    rule.previous[i] = counted(FeatureLayout::kPrevious + i);
    rule.next[i] = counted(FeatureLayout::kNext + i);
    with_next |= rule.next[i] != 0;
    with_orientation |= rule.previous[i] != 0 || rule.next[i] != 0;
  }
}

}  // namespace isogloss::search
