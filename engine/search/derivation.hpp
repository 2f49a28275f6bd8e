#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/sentence_search.hpp"

namespace isogloss::search {

/// A rule as a derivation used it, for people to look at.
struct DerivationStep {
  std::uint32_t rule;                         ///< as in Option
  RuleKind kind;
  ArcKind from;                               ///< where its source words come from, if not all are given
  Span span;                                  ///< all of it, gaps included
  Span own;                                   ///< from its first word to its last
  std::vector<Span> gaps;                     ///< in the order in which they are translated
  std::uint32_t target_begin, target_end;     ///< positions of its own words in the translation
  std::vector<WordId> symbols;                ///< source side of the rule; empty if it is not from the table
  std::vector<std::pair<Place, std::uint32_t>> links;  ///< (where the source word begins, target position)
};

/// The steps of a path in the order of their target words. In the phrase search a step is the phrase alone, not
/// what it leaves open around it. Throws TableError if the table is damaged.
std::vector<DerivationStep> derivation_of(const SentenceSearch& search, const Path& path);

}  // namespace isogloss::search
