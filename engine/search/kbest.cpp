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

DistinctKBest::DistinctKBest(const Graph& graph, Extend extend)
    : graph_(graph), extend_(std::move(extend)), ways_(graph.nodes.size()) {}

bool DistinctKBest::worse(const Way& a, const Way& b) {
  if (a.score != b.score) return a.score < b.score;
  return a.arc != b.arc ? a.arc > b.arc : a.rank > b.rank;
}

void DistinctKBest::push(Ways& ways, std::uint32_t arc, std::uint32_t rank) {
  const Arc& step = graph_.arcs[arc];
  // The score of the best way to a node is known, so nodes that no good path comes from are never looked at.
  float before = graph_.nodes[step.from].score;
  if (rank > 0) {
    if (!find(step.from, rank)) return;
    before = ways_[step.from].found[rank].score;
  }
  ways.waiting.push_back({before + step.score, arc, rank, 0});
  std::push_heap(ways.waiting.begin(), ways.waiting.end(), worse);
}

bool DistinctKBest::find(std::uint32_t node, std::uint32_t rank) {
  Ways& ways = ways_[node];
  if (!ways.begun) {
    ways.begun = true;
    if (graph_.nodes[node].arcs == kNone) ways.found.push_back({0.0f, kNone, 0, 0});  // the start
    for (std::uint32_t arc = graph_.nodes[node].arcs; arc != kNone; arc = graph_.arcs[arc].next) push(ways, arc, 0);
  }
  while (ways.found.size() <= rank && !ways.waiting.empty()) {
    std::pop_heap(ways.waiting.begin(), ways.waiting.end(), worse);
    Way best = ways.waiting.back();
    ways.waiting.pop_back();
    const Arc& step = graph_.arcs[best.arc];
    find(step.from, best.rank);
    const std::uint64_t before = ways_[step.from].found[best.rank].text;
    best.text = step.option == kNone ? before : extend_(before, step.option);
    if (ways.is_new(best.text)) ways.found.push_back(best);
    push(ways, best.arc, best.rank + 1);
  }
  return ways.found.size() > rank;
}

bool DistinctKBest::Ways::is_new(std::uint64_t text) {
  constexpr std::size_t few = 32;  // where a set would cost more than looking at all
  if (found.size() < few)
    return std::ranges::none_of(found, [&](const Way& way) { return way.text == text; });
  if (texts.empty())
    for (const Way& way : found) texts.insert(way.text);
  return texts.insert(text).second;
}

bool DistinctKBest::next(Path& path) {
  if (graph_.goal == kNone || !find(graph_.goal, given_)) return false;
  path.arcs.clear();
  std::uint32_t node = graph_.goal, rank = given_++;
  path.score = ways_[node].found[rank].score;
  while (ways_[node].found[rank].arc != kNone) {
    const Way& way = ways_[node].found[rank];
    path.arcs.push_back(way.arc);
    rank = way.rank;
    node = graph_.arcs[way.arc].from;
  }
  std::reverse(path.arcs.begin(), path.arcs.end());
  return true;
}

}  // namespace isogloss::search
