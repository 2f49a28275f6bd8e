#pragma once

#include <cstdint>
#include <span>

#include "grammar/table.hpp"

namespace isogloss::search {

using grammar::kGap;
using grammar::RuleTable;
using grammar::RuleView;
using grammar::Shape;
using grammar::SideView;

/// The rule table, and beside it a small one that took in what came later, if there is one. Both number words
/// alike; the rules of the second are numbered after those of the first.
struct RuleTables {
  const RuleTable& main;
  const RuleTable* overlay = nullptr;

  const RuleTable& of(std::uint32_t rule) const { return rule < main.rule_count() ? main : *overlay; }
  /// What must be added to a table's own numbers.
  std::uint32_t offset(const RuleTable& table) const { return &table == &main ? 0 : main.rule_count(); }

  std::span<const float> scores(std::uint32_t rule) const { return of(rule).scores(rule - offset(of(rule))); }
  std::span<const float> orientation(std::uint32_t rule) const {
    return of(rule).orientation(rule - offset(of(rule)));
  }
};

}  // namespace isogloss::search
