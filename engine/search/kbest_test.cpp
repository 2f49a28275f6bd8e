#include "search/kbest.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "base/hash.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::search;

namespace {

/// A graph whose arcs lead from lower to higher nodes; the scores are sums of few bits, so that they are exact.
Graph random_graph(std::mt19937& random) {
  Graph graph;
  graph.nodes.push_back({0.0f, 0, kNone, kNone, 0, 0, kNone, {}, 0});
  const auto nodes = static_cast<std::uint32_t>(2 + random() % 6);
  for (std::uint32_t to = 1; to < nodes; ++to) {
    Node node{-1e30f, 0, kNone, kNone, 0, 0, kNone, {}, 0};
    for (std::size_t arcs = 1 + random() % 4; arcs > 0; --arcs) {
      const auto from = static_cast<std::uint32_t>(random() % to);
      const float score = -0.25f * static_cast<float>(random() % 8);
      const auto number = static_cast<std::uint32_t>(graph.arcs.size());
      graph.arcs.push_back({from, 0, static_cast<std::uint32_t>(random() % 3), node.arcs, score});
      node.arcs = number;
      if (graph.nodes[from].score + score > node.score) {
        node.score = graph.nodes[from].score + score;
        node.best = number;
      }
    }
    graph.nodes.push_back(node);
  }
  graph.goal = nodes - 1;
  return graph;
}

void walk(const Graph& graph, std::uint32_t node, std::vector<std::uint32_t> arcs, std::vector<Path>& out) {
  if (graph.nodes[node].arcs == kNone) {
    Path path{0.0f, {arcs.rbegin(), arcs.rend()}};
    for (std::uint32_t arc : path.arcs) path.score += graph.arcs[arc].score;
    out.push_back(path);
  }
  for (std::uint32_t arc = graph.nodes[node].arcs; arc != kNone; arc = graph.arcs[arc].next) {
    arcs.push_back(arc);
    walk(graph, graph.arcs[arc].from, arcs, out);
    arcs.pop_back();
  }
}

std::vector<std::uint32_t> reading(const Graph& graph, const Path& path) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t arc : path.arcs) words.push_back(graph.arcs[arc].option);
  return words;
}

}  // namespace

TEST("k-best gives every path of a graph once, from the best to the worst") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Graph graph = random_graph(random);
    std::vector<Path> all;
    walk(graph, graph.goal, {}, all);
    std::stable_sort(all.begin(), all.end(), [](const Path& a, const Path& b) { return a.score > b.score; });
    std::vector<std::vector<std::uint32_t>> expected, found;
    KBest best(graph);
    Path path;
    for (const Path& one : all) {
      CHECK(best.next(path));
      CHECK_EQUAL(path.score, one.score);
      expected.push_back(one.arcs);
      found.push_back(path.arcs);
    }
    CHECK(!best.next(path));
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
  }
}

TEST("distinct k-best gives the best path of every reading") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Graph graph = random_graph(random);
    std::vector<Path> all;
    walk(graph, graph.goal, {}, all);
    std::map<std::vector<std::uint32_t>, float> expected;
    for (const Path& one : all) {
      const auto [at, fresh] = expected.try_emplace(reading(graph, one), one.score);
      if (!fresh) at->second = std::max(at->second, one.score);
    }
    DistinctKBest best(graph, [](std::uint64_t prefix, std::uint32_t option) { return combine64(prefix, option + 1); });
    Path path;
    float last = 0;
    std::map<std::vector<std::uint32_t>, float> found;
    while (best.next(path)) {
      CHECK(found.empty() || path.score <= last);
      last = path.score;
      CHECK(found.emplace(reading(graph, path), path.score).second);
    }
    CHECK(found == expected);
  }
}

TEST("a graph without a goal has no paths") {
  Graph graph;
  graph.nodes.push_back({0.0f, 0, kNone, kNone, 0, 0, kNone, {}, 0});
  Path path;
  CHECK(!KBest(graph).next(path));
  CHECK(!DistinctKBest(graph, [](std::uint64_t, std::uint32_t) { return std::uint64_t{0}; }).next(path));
}
