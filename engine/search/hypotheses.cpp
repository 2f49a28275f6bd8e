#include "search/hypotheses.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace isogloss::search {

void Hypotheses::start(const Node& node) {
  groups_[0].push_back(static_cast<std::uint32_t>(graph_.nodes.size()));
  graph_.nodes.push_back(node);
}

void Hypotheses::begin_group() {
  table_.assign(1024, kNone);
  table_used_ = 0;
}

std::uint64_t Hypotheses::hash(const Node& node) {
  return combine64(std::uint64_t{node.coverage} << 32 | node.tail,
                   node.lm.hash() + node.sparse + mix64(node.constraint));
}

bool Hypotheses::is_same_state(const Node& a, const Node& b) {
  return a.coverage == b.coverage && a.tail == b.tail && a.sparse == b.sparse && a.constraint == b.constraint &&
         a.lm == b.lm;
}

void Hypotheses::add(Node& node, Arc arc, std::size_t covered) {
  ++statistics_.hypotheses;
  const auto number = static_cast<std::uint32_t>(graph_.arcs.size());
  std::size_t slot = hash(node) & (table_.size() - 1);
  for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
    Node& other = graph_.nodes[table_[slot]];
    if (!is_same_state(other, node)) continue;
    ++statistics_.recombined;
    arc.next = other.arcs;
    graph_.arcs.push_back(arc);
    other.arcs = number;
    if (node.score > other.score) {
      other.score = node.score;
      other.best = number;
    }
    return;
  }
  graph_.arcs.push_back(arc);
  node.arcs = node.best = number;
  table_[slot] = static_cast<std::uint32_t>(graph_.nodes.size());
  groups_[covered].push_back(table_[slot]);
  graph_.nodes.push_back(node);
  if (++table_used_ * 2 > table_.size()) grow_table(covered);
}

void Hypotheses::grow_table(std::size_t covered) {
  table_.assign(table_.size() * 2, kNone);
  for (std::uint32_t number : groups_[covered]) {
    std::size_t slot = hash(graph_.nodes[number]) & (table_.size() - 1);
    while (table_[slot] != kNone) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = number;
  }
}

void Hypotheses::prune(std::size_t covered, unsigned beam_size, float threshold) {
  std::vector<std::uint32_t>& group = groups_[covered];
  order_.clear();
  for (std::uint32_t number : group) order_.push_back({total(graph_.nodes[number]), number});
  std::sort(order_.begin(), order_.end(), [](const Scored& a, const Scored& b) {
    return a.total != b.total ? a.total > b.total : a.node < b.node;
  });
  std::size_t kept = order_.size();
  if (beam_size > 0) kept = std::min<std::size_t>(kept, beam_size);
  if (threshold > 0)
    while (kept > 1 && order_[kept - 1].total < order_[0].total - threshold) --kept;
  statistics_.pruned += order_.size() - kept;

  coverage_rank_.resize(coverages_.size(), kNone);
  coverages_seen_.clear();
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint32_t coverage = graph_.nodes[order_[i].node].coverage;
    if (coverage_rank_[coverage] != kNone) continue;
    coverage_rank_[coverage] = static_cast<std::uint32_t>(coverages_seen_.size());
    coverages_seen_.push_back(coverage);
  }
  group.resize(kept);
  for (std::size_t i = 0; i < kept; ++i) group[i] = order_[i].node;
  std::stable_sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
    return coverage_rank_[graph_.nodes[a].coverage] < coverage_rank_[graph_.nodes[b].coverage];
  });
  for (std::uint32_t coverage : coverages_seen_) coverage_rank_[coverage] = kNone;
}

}  // namespace isogloss::search
