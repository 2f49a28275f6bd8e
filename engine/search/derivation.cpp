#include "search/derivation.hpp"

#include <algorithm>

namespace isogloss::search {
namespace {

/// The source side that a rule belongs to: sides are numbered in the order of their rules.
RuleTable::Node side_of(const RuleTable& table, std::uint32_t rule) {
  RuleTable::Node low = 0, high = table.node_count() - 1;
  while (low < high) {
    const RuleTable::Node middle = low + (high - low) / 2;
    if (table.side(middle).last_rule > rule) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Where the symbols of a source side lie: the first way from `at` to `end` with these words and gaps.
bool locate(const Source& source, std::span<const WordId> symbols, std::span<const Span> gaps, Place at, Place end,
            std::vector<Place>& places) {
  if (symbols.empty()) return at == end && gaps.empty();
  if (symbols[0] == kGap) {
    if (gaps.empty() || gaps[0].begin != at) return false;
    places.push_back(at);
    if (locate(source, symbols.subspan(1), gaps.subspan(1), gaps[0].end, end, places)) return true;
    places.pop_back();
    return false;
  }
  for (const SourceArc& arc : source.from(at)) {
    if (arc.word != symbols[0] || arc.end > end) continue;
    places.push_back(at);
    if (locate(source, symbols.subspan(1), gaps, arc.end, end, places)) return true;
    places.pop_back();
  }
  return false;
}

ArcKind origin_of(const Match& match) {
  for (std::size_t kind = 1; kind < kArcKinds; ++kind)
    if (match.arc_scores[kind] != 0.0f) return static_cast<ArcKind>(kind);
  return ArcKind::kGiven;
}

}  // namespace

std::vector<DerivationStep> derivation_of(const SentenceSearch& search, const Path& path) {
  const RuleTables tables = search.model().tables();
  std::vector<DerivationStep> steps;
  std::uint32_t position = 0;
  search.for_each_step(path, [&](const Step& taken) {
    const Match& match = taken.match;
    const bool phrase_alone = match.loose && match.kind == RuleKind::kRule;
    DerivationStep step{taken.option.rule, match.kind, origin_of(match), phrase_alone ? Span{match.first, match.last} : match.span,
                        {match.first, match.last}, {}, position, position + taken.option.word_count, {}, {}};
    position = step.target_end;
    if (!phrase_alone) step.gaps.assign(match.gaps().begin(), match.gaps().end());
    if (is_from_table(step.rule)) {
      const RuleTable& table = tables.of(step.rule);
      const std::uint32_t number = step.rule - tables.offset(table);
      const RuleTable::Node node = side_of(table, number);
      const RuleView rule = table.rule(number, table.side(node));
      table.symbols(node, step.symbols);
      // Glue has its gaps around the phrase, not in it.
      const Span own = match.loose ? step.own : match.span;
      std::vector<Span> gaps;
      if (!match.loose) gaps = step.gaps;
      std::sort(gaps.begin(), gaps.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
      std::vector<Place> places;
      if (locate(search.source(), step.symbols, gaps, own.begin, own.end, places))
        for (std::size_t i = 0; i < rule.links.size(); i += 2)
          step.links.push_back({places[rule.links[i]], step.target_begin + rule.links[i + 1]});
    }
    steps.push_back(std::move(step));
  });
  return steps;
}

}  // namespace isogloss::search
