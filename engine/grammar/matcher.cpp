#include "grammar/matcher.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::grammar {

void SideMatcher::run(std::span<const WordId> sentence, unsigned max_span, bool positions) {
  if (sentence.size() > kLongest) throw std::invalid_argument("the sentence has more than 65535 words");
  sentence_ = sentence;
  max_span_ = std::min<unsigned>(max_span, kLongest);
  positions_ = positions;
  sides_.clear();
  matches_.clear();
  side_index_.clear();
  gap_count_ = 0;
  leading_gap_ = false;
  for (begin_ = 0; begin_ < sentence.size(); ++begin_) {
    const RuleTable::Node first = table_->child(RuleTable::kRoot, sentence[begin_]);
    if (first != RuleTable::kNoNode) walk(first, begin_ + 1);
  }
  if (const RuleTable::Node gap = table_->gap_child(RuleTable::kRoot); gap != RuleTable::kNoNode) {
    leading_gap_ = true;
    begin_ = 0;
    open_gap(gap, 0, false);
  }
  sort_matches();
}

unsigned SideMatcher::limit() const {
  const auto length = static_cast<unsigned>(sentence_.size());
  if (!leading_gap_) return gap_count_ == 0 ? length : std::min(length, begin_ + max_span_);
  // The gap in front may shrink to one word.
  return gap_count_ == 0 ? length : std::min(length, gaps_[0].end - 1 + max_span_);
}

/// `node` has been reached and covers the sentence up to `at`: report it, and go on from there.
void SideMatcher::walk(RuleTable::Node node, unsigned at) {
  const unsigned last = limit();
  while (at <= last) {
    if (table_->has_rules(node)) found(node, at);
    if (!table_->has_children(node)) return;
    if (gap_count_ < 2)
      if (const RuleTable::Node gap = table_->gap_child(node); gap != RuleTable::kNoNode)
        open_gap(gap, at, true);
    if (at == sentence_.size()) return;
    node = table_->child(node, sentence_[at++]);
    if (node == RuleTable::kNoNode) return;
  }
}

/// `node` has been reached by a gap that begins at `at`: let it end everywhere.
void SideMatcher::open_gap(RuleTable::Node node, unsigned at, bool after_word) {
  const auto length = static_cast<unsigned>(sentence_.size());
  const unsigned last = leading_gap_ ? limit() : std::min(length, begin_ + max_span_);
  const RuleTable::Node second = gap_count_ == 0 ? table_->gap_child(node) : RuleTable::kNoNode;
  Match::Gap& gap = gaps_[gap_count_++];
  gap.begin = static_cast<std::uint16_t>(at);
  // Nothing but gaps is no rule: it would stand for itself.
  if (after_word && table_->has_rules(node)) found_to(node, at + 1, last);
  if (table_->has_children(node)) {
    for (unsigned end = at + 1; end < last; ++end) {
      gap.end = static_cast<std::uint16_t>(end);
      if (second != RuleTable::kNoNode) open_gap(second, end, after_word);
      const RuleTable::Node next = table_->child(node, sentence_[end]);
      if (next != RuleTable::kNoNode) walk(next, end + 1);
    }
  }
  --gap_count_;
}

/// A side with a gap at its end, which may be anywhere up to `last`.
void SideMatcher::found_to(RuleTable::Node node, unsigned first, unsigned last) {
  Match::Gap& gap = gaps_[gap_count_ - 1];
  if (!positions_) last = std::min(first, last);
  for (unsigned end = first; end <= last; ++end) {
    gap.end = static_cast<std::uint16_t>(end);
    found(node, end);
  }
}

void SideMatcher::found(RuleTable::Node node, unsigned end) {
  const std::uint32_t side = side_of(node);
  if (!positions_) return;
  if (!leading_gap_) return keep(side, begin_, end);
  const unsigned first_end = gaps_[0].end;
  for (unsigned begin = end > max_span_ ? end - max_span_ : 0; begin < first_end; ++begin) {
    gaps_[0].begin = static_cast<std::uint16_t>(begin);
    keep(side, begin, end);
  }
}

void SideMatcher::keep(std::uint32_t side, unsigned begin, unsigned end) {
  matches_.push_back(
      {side, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end), {gaps_[0], gaps_[1]}});
}

std::uint32_t SideMatcher::side_of(RuleTable::Node node) {
  return side_index_.find_or_add(
      mix64(node), [&](std::uint32_t side) { return sides_[side].node == node; },
      [&](std::uint32_t side) { return mix64(sides_[side].node); }, [&] { sides_.push_back(table_->side(node)); });
}

/// Two stable passes of counting, by end and then by begin.
void SideMatcher::sort_matches() {
  const std::size_t cells = sentence_.size() + 2;
  sorted_.resize(matches_.size());
  const auto pass = [&](const std::vector<Match>& from, std::vector<Match>& to, auto key) {
    begins_.assign(cells, 0);
    for (const Match& match : from) ++begins_[key(match) + 1u];
    for (std::size_t i = 1; i < cells; ++i) begins_[i] += begins_[i - 1];
    for (const Match& match : from) to[begins_[key(match)]++] = match;
  };
  pass(matches_, sorted_, [](const Match& match) { return match.end; });
  pass(sorted_, matches_, [](const Match& match) { return match.begin; });
  // Each cell has moved on to where the next one began.
  std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
  begins_[0] = 0;
}

std::span<const Match> SideMatcher::matches(unsigned begin, unsigned end) const {
  if (begin >= sentence_.size()) return {};
  const auto first = matches_.begin() + begins_[begin], last = matches_.begin() + begins_[begin + 1];
  const auto [low, high] = std::equal_range(first, last, Match{0, 0, static_cast<std::uint16_t>(end), {}},
                                            [](const Match& a, const Match& b) { return a.end < b.end; });
  return {low, high};
}

}  // namespace isogloss::grammar
