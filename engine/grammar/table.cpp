#include "grammar/table.hpp"

#include <bit>
#include <limits>

namespace isogloss::grammar {
namespace {

void require(bool sound, const char* problem) {
  if (!sound) throw TableError(problem);
}

}  // namespace

RuleTable::RuleTable(const TableArrays& arrays) : arrays_(arrays) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::size_t node_rows = arrays.nodes.size() / TableArrays::kNodeFields;
  require(arrays.nodes.size() % TableArrays::kNodeFields == 0 && node_rows >= 2 && node_rows <= kMost,
          "the nodes are not whole rows");
  nodes_ = static_cast<std::uint32_t>(node_rows - 1);
  require(arrays.slots.size() % 2 == 0 && std::has_single_bit(arrays.slots.size() / 2),
          "the hash table's size is not a power of two");
  slot_mask_ = arrays.slots.size() / 2 - 1;
  const std::size_t rule_rows = arrays.rules.size() / 2;
  require(arrays.rules.size() % 2 == 0 && rule_rows >= 1 && rule_rows <= kMost,
          "the rules are not whole rows");
  rules_ = static_cast<std::uint32_t>(rule_rows - 1);
  require(arrays.links.size() % 2 == 0, "the links are not whole pairs");
  require(arrays.columns <= 256 && arrays.scores.size() == rules_ * arrays.columns,
          "the scores do not match the rules");
  require(arrays.orientation.empty() || arrays.orientation.size() == rules_ * TableArrays::kOrientations,
          "the orientation probabilities do not match the rules");
  require(arrays.counts.empty() || arrays.counts.size() == rules_ * TableArrays::kCounts,
          "the counts do not match the rules");
  require(arrays.longest_probe <= arrays.slots.size() / 2, "the longest probe is longer than the hash table");
}

std::span<const WordId> RuleTable::phrase(std::uint32_t number) const {
  require(number < arrays_.phrase_ends.size(), "a target phrase does not exist");
  const std::uint32_t begin = number == 0 ? 0 : arrays_.phrase_ends[number - 1];
  const std::uint32_t end = arrays_.phrase_ends[number];
  require(begin < end && end <= arrays_.words.size(), "target words out of range");
  const std::span<const WordId> words = arrays_.words.subspan(begin, end - begin);
  for (const WordId word : words) require(word < arrays_.target_words, "a target word does not exist");
  return words;
}

SideView RuleTable::side(Node node) const {
  SideView view{node, first_rule(node), first_rule(node + 1), 0, 0};
  require(view.first_rule <= view.last_rule && view.last_rule <= rules_, "rules out of range");
  for (; node != kRoot; node = parent(node)) {
    require(parent(node) < node && view.length < 255, "a source side does not end");
    ++view.length;
    if (symbol(node) == kGap) ++view.gaps;
  }
  return view;
}

RuleView RuleTable::rule(std::uint32_t number, const SideView& side) const {
  require(number < rules_, "a rule does not exist");
  const std::uint32_t* row = arrays_.rules.data() + 2 * std::size_t{number};
  const std::size_t begin = row[1], end = row[3];
  require(begin <= end && end <= arrays_.links.size() / 2, "links out of range");
  const RuleView view{row[0] >> 2, static_cast<Shape>(row[0] & 3), phrase(row[0] >> 2),
                      arrays_.links.subspan(2 * begin, 2 * (end - begin))};
  require(gap_count(view.shape) == side.gaps, "a rule has other non-terminals than its source side");
  for (std::size_t i = 0; i < view.links.size(); i += 2)
    require(view.links[i] < side.length && view.links[i + 1] < view.words.size(),
            "a link to a word that does not exist");
  return view;
}

void RuleTable::symbols(Node node, std::vector<WordId>& out) const {
  out.resize(side(node).length);
  for (std::size_t i = out.size(); i-- > 0; node = parent(node)) out[i] = symbol(node);
}

}  // namespace isogloss::grammar
