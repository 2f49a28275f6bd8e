#include "grammar/rules.hpp"

#include <algorithm>

namespace isogloss::grammar {
namespace {

bool target_inside(const Block& inner, const Block& outer) {
  return inner.target_begin >= outer.target_begin && inner.target_end <= outer.target_end;
}

bool target_disjoint(const Block& a, const Block& b) {
  return a.target_end <= b.target_begin || b.target_end <= a.target_begin;
}

}  // namespace

void RuleFinder::prepare(const LinkIndex& index) {
  blocks_.clear();
  find_phrases(index, std::max(limits_.max_length, limits_.max_plain), limits_.tight, blocks_);
  if (limits_.max_gaps == 0) return;
  const std::size_t row = limits_.max_length + 1;
  const auto cell = [&](const Block& block) { return block.source_begin * row + block.source_length(); };
  cells_.assign(index.source_length() * row + 2, 0);
  for (const Block& block : blocks_)
    if (may_have_gaps(block)) ++cells_[cell(block) + 2];
  for (std::size_t i = 2; i < cells_.size(); ++i) cells_[i] += cells_[i - 1];
  by_source_.resize(blocks_.size());
  for (const Block& block : blocks_)
    if (may_have_gaps(block)) by_source_[cells_[cell(block) + 1]++] = block;
}

bool RuleFinder::may_have_gaps(const Block& block) const {
  return block.source_length() <= limits_.max_length && block.target_length() <= limits_.max_length;
}

unsigned RuleFinder::enumerate(const LinkIndex& index, const Block& block) {
  unsigned ways = 0;
  if (block.source_length() <= std::max(limits_.max_symbols, limits_.max_plain)) {
    ++ways;
    keep(block, Shape::plain, block.target_end, {}, {});
  }
  if (!may_have_gaps(block)) return ways;
  if (limits_.max_gaps >= 1) ways += with_one_gap(index, block);
  if (limits_.max_gaps >= 2) ways += with_two_gaps(index, block);
  return ways;
}

unsigned RuleFinder::with_one_gap(const LinkIndex& index, const Block& block) {
  unsigned ways = 0;
  const unsigned length = block.source_length();
  const unsigned aligned = index.aligned_words(block.source_begin, block.source_end);
  const unsigned shortest =
      length + 1 > limits_.max_symbols + limits_.min_gap ? length + 1 - limits_.max_symbols : limits_.min_gap;
  for (unsigned gap_length = shortest; gap_length < length; ++gap_length) {
    for (unsigned before = 0; before + gap_length <= length; ++before) {
      for (const Block& gap : starting(block.source_begin + before, gap_length)) {
        // An aligned word left over has its links inside the block and outside the gap.
        if (!target_inside(gap, block) || index.aligned_words(gap.source_begin, gap.source_end) == aligned)
          continue;
        ++ways;
        if (gap.target_end == block.target_end) keep(block, Shape::one_gap, gap.target_begin, gap, {});
      }
    }
  }
  return ways;
}

unsigned RuleFinder::with_two_gaps(const LinkIndex& index, const Block& block) {
  if (limits_.max_symbols < 3) return 0;
  const unsigned most_words = limits_.max_symbols - 2, least_gaps = 2 * limits_.min_gap;
  const unsigned least_between = limits_.adjacent_gaps ? 0 : 1;
  unsigned ways = 0;
  // Words before, between and after the gaps: few layouts, since a source side has few symbols.
  for (unsigned before = 0; before <= most_words; ++before)
    for (unsigned between = least_between; before + between <= most_words; ++between)
      for (unsigned after = 0; before + between + after <= most_words; ++after) {
        const unsigned words = before + between + after;
        if (words > 0 && words + least_gaps <= block.source_length())
          ways += with_layout(index, block, before, between, block.source_length() - words);
      }
  return ways;
}

unsigned RuleFinder::with_layout(const LinkIndex& index, const Block& block, unsigned before,
                                 unsigned between, unsigned gap_words) {
  unsigned ways = 0;
  const unsigned aligned = index.aligned_words(block.source_begin, block.source_end);
  const unsigned begin = block.source_begin + before;
  for (unsigned length = limits_.min_gap; length + limits_.min_gap <= gap_words; ++length) {
    const std::span<const Block> seconds = starting(begin + length + between, gap_words - length);
    if (seconds.empty()) continue;
    for (const Block& first : starting(begin, length)) {
      if (!target_inside(first, block)) continue;
      const unsigned left = aligned - index.aligned_words(first.source_begin, first.source_end);
      for (const Block& second : seconds) {
        if (!target_inside(second, block) || !target_disjoint(first, second)) continue;
        if (index.aligned_words(second.source_begin, second.source_end) == left) continue;
        ++ways;
        if (first.target_end == second.target_begin && second.target_end == block.target_end)
          keep(block, Shape::two_gaps, first.target_begin, first, second);
        else if (second.target_end == first.target_begin && first.target_end == block.target_end)
          keep(block, Shape::two_gaps_swapped, second.target_begin, first, second);
      }
    }
  }
  return ways;
}

void RuleFinder::keep(const Block& block, Shape shape, unsigned phrase_end, const Block& first,
                      const Block& second) {
  const unsigned words = phrase_end - block.target_begin;
  const unsigned most = shape == Shape::plain ? std::max(limits_.max_target_words, limits_.max_plain)
                                              : limits_.max_target_words;
  if (words == 0 || words > most) return;
  rules_.push_back({shape, static_cast<std::uint16_t>(phrase_end), {first, second}});
}

}  // namespace isogloss::grammar
