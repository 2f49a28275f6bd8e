#pragma once

#include <cstdint>
#include <utility>

#include "features/template.hpp"

namespace isogloss::features {

/// Calls `visit(token)` for every source word of a rule that is aligned, from left to right.
template <class Visit>
void for_each_aligned(const RuleFacts& rule, Visit&& visit) {
  for (std::size_t i = 0; i < rule.source.size(); ++i) {
    bool aligned = false;
    for (const Link& link : rule.links) aligned |= link.source == i;
    if (aligned) visit(rule.source[i]);
  }
}

/// Calls `visit(token)` for every target word of a rule that is not aligned, from left to right.
template <class Visit>
void for_each_unaligned(const RuleFacts& rule, Visit&& visit) {
  std::size_t link = 0;  // they go by target position
  for (std::size_t i = 0; i < rule.target.size(); ++i) {
    const bool aligned = link < rule.links.size() && rule.links[link].target == i;
    while (link < rule.links.size() && rule.links[link].target == i) ++link;
    if (!aligned) visit(rule.target[i]);
  }
}

/// The first and the last word of a source side, which has at least one.
inline std::pair<TokenId, TokenId> words_at_edges(std::span<const TokenId> source) {
  std::size_t first = 0, last = source.size() - 1;
  while (first < last && source[first] == kGapToken) ++first;
  while (last > first && source[last] == kGapToken) --last;
  return {source[first], source[last]};
}

}  // namespace isogloss::features
