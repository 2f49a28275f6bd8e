#include "search/hypotheses.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace isogloss::search {

void Hypotheses::begin(std::size_t groups, const Coverages& coverages, Graph& graph, BeamStatistics& statistics) {
  graph_ = &graph;
  coverages_ = &coverages;
  statistics_ = &statistics;
  ranges_.assign(groups, Range{0, 0});
  kept_.clear();
  coverage_rank_.clear();
  first_ = 0;
}

void Hypotheses::begin_group() {
  constexpr std::size_t kFirstSlots = 256;
  table_.assign(kFirstSlots, kNone);
  table_used_ = 0;
  first_ = static_cast<std::uint32_t>(graph_->nodes.size());
}

void Hypotheses::add(Node& node, Arc arc) {
  ++statistics_->hypotheses;
  const auto number = static_cast<std::uint32_t>(graph_->arcs.size());
  std::size_t slot = hash(node) & (table_.size() - 1);
  for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
    Node& other = graph_->nodes[table_[slot]];
    if (!is_same_state(other, node)) continue;
    ++statistics_->recombined;
    arc.next = other.arcs;
    graph_->arcs.push_back(arc);
    other.arcs = number;
    if (node.score > other.score) {
      other.score = node.score;
      other.best = number;
    }
    return;
  }
  graph_->arcs.push_back(arc);
  node.arcs = node.best = number;
  table_[slot] = static_cast<std::uint32_t>(graph_->nodes.size());
  graph_->nodes.push_back(node);
  if (++table_used_ * 2 > table_.size()) grow_table();
}

void Hypotheses::grow_table() {
  table_.assign(table_.size() * 4, kNone);
  for (std::uint32_t number = first_; number < graph_->nodes.size(); ++number) {
    std::size_t slot = hash(graph_->nodes[number]) & (table_.size() - 1);
    while (table_[slot] != kNone) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = number;
  }
}

void Hypotheses::prune(std::size_t covered, unsigned beam_size, float threshold) {
  order_.clear();
  for (auto number = first_; number < graph_->nodes.size(); ++number) {
    const Node& node = graph_->nodes[number];
    order_.push_back({node.score + (*coverages_)[node.coverage].rest, number});
  }
  const auto better = [](const Scored& a, const Scored& b) {
    return a.total != b.total ? a.total > b.total : a.node < b.node;
  };
  std::size_t kept = order_.size();
  if (beam_size > 0 && kept > beam_size) {
    kept = beam_size;
    std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept), order_.end(), better);
  }
  std::sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept), better);
  if (threshold > 0)
    while (kept > 1 && order_[kept - 1].total < order_[0].total - threshold) --kept;
  statistics_->pruned += order_.size() - kept;

  // Those of one coverage together: how many each has, and where they begin.
  coverage_rank_.resize(coverages_->size(), kNone);
  coverages_seen_.clear();
  counts_.assign(1, 0);
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint32_t coverage = graph_->nodes[order_[i].node].coverage;
    std::uint32_t& rank = coverage_rank_[coverage];
    if (rank == kNone) {
      rank = static_cast<std::uint32_t>(coverages_seen_.size());
      coverages_seen_.push_back(coverage);
      counts_.push_back(0);
    }
    ++counts_[rank + 1];
  }
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  const auto begin = static_cast<std::uint32_t>(kept_.size());
  ranges_[covered] = {begin, begin + static_cast<std::uint32_t>(kept)};
  kept_.resize(begin + kept);
  for (std::size_t i = 0; i < kept; ++i)
    kept_[begin + counts_[coverage_rank_[graph_->nodes[order_[i].node].coverage]]++] = order_[i].node;
  for (std::uint32_t coverage : coverages_seen_) coverage_rank_[coverage] = kNone;
}

}  // namespace isogloss::search
