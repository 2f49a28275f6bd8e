#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "search/graph.hpp"

namespace isogloss::search {

/// A derivation: its arcs from the start to the goal.
struct Path {
  float score;
  std::vector<std::uint32_t> arcs;
};

/// The paths of a graph from the best to the worst, exactly, computed one by one as they are asked for.
///
/// A path is its predecessor in rank with one arc replaced and the best way to the start from there on, so
/// finding the next costs a heap operation per arc of the last. Paths of equal score come in the order in which
/// their arcs were found.
class KBest {
 public:
  explicit KBest(const Graph& graph);

  /// False when there are no more.
  bool next(Path& path);

 private:
  struct Suffix {          // the arcs of a path from some node to the goal
    std::uint32_t arc;
    std::uint32_t next;    // nearer to the goal, or kNone
  };
  struct Deviation {       // a path that takes arc number `rank` of `node`, then `suffix`
    float score;           // of the whole path
    float suffix_score;
    std::uint32_t node, rank, suffix;
    std::uint32_t order;   // in which they were found, to break ties
  };
  struct Ranked {
    float score;           // of the best way from the start over this arc
    std::uint32_t arc;
  };

  std::span<const Ranked> arcs_of(std::uint32_t node);
  void push(std::uint32_t node, std::uint32_t rank, std::uint32_t suffix, float suffix_score);
  static bool worse(const Deviation& a, const Deviation& b) {
    return a.score != b.score ? a.score < b.score : a.order > b.order;
  }

  const Graph& graph_;
  std::vector<Suffix> suffixes_;
  std::vector<Deviation> heap_;
  std::vector<Ranked> ranked_;
  std::vector<std::uint32_t> ranked_begin_, ranked_count_;  // by node; kNone until sorted
  std::uint32_t found_ = 0;
};

/// The same, one path for every different translation: the best of those that read the same.
///
/// Of two ways to a node that read the same only the better can be a part of an answer, since what follows does not
/// depend on them; so repetitions are dropped node by node, and how many derivations a translation has costs nothing.
class DistinctKBest {
 public:
  /// `extend(prefix, option)` is the hash of what reads like `prefix` followed by the words of an option.
  using Extend = std::function<std::uint64_t(std::uint64_t prefix, std::uint32_t option)>;

  DistinctKBest(const Graph& graph, Extend extend);

  /// False when there are no more.
  bool next(Path& path);

 private:
  struct Way {              // to a node: by an arc from the `rank`-th way to the node before
    float score;
    std::uint32_t arc, rank;
    std::uint64_t text;     // what it reads; 0 while it waits
  };
  struct Ways {
    std::vector<Way> found;    // best first, all different
    std::vector<Way> waiting;  // a heap of the next of each arc
    std::unordered_set<std::uint64_t> texts;  // of what was found, once there are many
    bool begun = false;

    bool is_new(std::uint64_t text);
  };

  /// Whether there is a `rank`-th way to a node; it is found now if need be.
  bool find(std::uint32_t node, std::uint32_t rank);
  void push(Ways& ways, std::uint32_t arc, std::uint32_t rank);
  static bool worse(const Way& a, const Way& b);

  const Graph& graph_;
  Extend extend_;
  std::vector<Ways> ways_;
  std::uint32_t given_ = 0;
};

}  // namespace isogloss::search
