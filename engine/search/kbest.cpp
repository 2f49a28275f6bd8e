#include "search/kbest.hpp"

#include <algorithm>

namespace isogloss::search {

KBest::KBest(const Graph& graph)
    : graph_(graph), ranked_begin_(graph.nodes.size(), kNone), ranked_count_(graph.nodes.size(), 0) {
  if (graph.goal != kNone) push(graph.goal, 0, kNone, 0.0f);
}

std::span<const KBest::Ranked> KBest::arcs_of(std::uint32_t node) {
  if (ranked_begin_[node] == kNone) {
    ranked_begin_[node] = static_cast<std::uint32_t>(ranked_.size());
    for (std::uint32_t arc = graph_.nodes[node].arcs; arc != kNone; arc = graph_.arcs[arc].next)
      ranked_.push_back({graph_.nodes[graph_.arcs[arc].from].score + graph_.arcs[arc].score, arc});
    std::sort(ranked_.begin() + ranked_begin_[node], ranked_.end(), [](const Ranked& a, const Ranked& b) {
      return a.score != b.score ? a.score > b.score : a.arc < b.arc;
    });
    ranked_count_[node] = static_cast<std::uint32_t>(ranked_.size()) - ranked_begin_[node];
  }
  return {ranked_.data() + ranked_begin_[node], ranked_count_[node]};
}

void KBest::push(std::uint32_t node, std::uint32_t rank, std::uint32_t suffix, float suffix_score) {
  const auto arcs = arcs_of(node);
  if (rank >= arcs.size()) return;
  heap_.push_back({arcs[rank].score + suffix_score, suffix_score, node, rank, suffix, found_++});
  std::push_heap(heap_.begin(), heap_.end(), worse);
}

bool KBest::next(Path& path) {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), worse);
  Deviation at = heap_.back();
  heap_.pop_back();
  path.score = at.score;
  path.arcs.clear();
  // Walk to the start by the chosen arc and then by best arcs; every other arc on the way is a path to come.
  for (std::uint32_t node = at.node, rank = at.rank; graph_.nodes[node].arcs != kNone; rank = 0) {
    push(node, rank + 1, at.suffix, at.suffix_score);
    const std::uint32_t arc = arcs_of(node)[rank].arc;
    suffixes_.push_back({arc, at.suffix});
    at.suffix = static_cast<std::uint32_t>(suffixes_.size() - 1);
    at.suffix_score += graph_.arcs[arc].score;
    node = graph_.arcs[arc].from;
  }
  for (std::uint32_t i = at.suffix; i != kNone; i = suffixes_[i].next) path.arcs.push_back(suffixes_[i].arc);
  return true;
}

}  // namespace isogloss::search
