#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/coverage.hpp"
#include "search/graph.hpp"

namespace isogloss::search {

/// Counts of what a search did.
struct BeamStatistics {
  std::uint64_t hypotheses = 0, recombined = 0, pruned = 0;

  BeamStatistics& operator+=(const BeamStatistics& other) {
    hypotheses += other.hypotheses;
    recombined += other.recombined;
    pruned += other.pruned;
    return *this;
  }
};

/// The hypotheses of a search in groups by the number of places they cover, and the graph of all ways to them.
class Hypotheses {
 public:
  Hypotheses(std::size_t groups, const Coverages& coverages, BeamStatistics& statistics)
      : groups_(groups), coverages_(coverages), statistics_(statistics) {}

  Graph& graph() { return graph_; }
  const Node& node(std::uint32_t number) const { return graph_.nodes[number]; }
  std::size_t groups() const { return groups_.size(); }
  /// Numbers of nodes.
  std::span<const std::uint32_t> group(std::size_t covered) const { return groups_[covered]; }

  /// The first hypothesis, which covers nothing.
  void start(const Node& node);

  /// Before the first `add` to a group; groups are filled consecutively.
  void begin_group();

  /// Adds a hypothesis that was reached by `arc`, or only the arc to one that nothing can tell from it.
  void add(Node& node, Arc arc, std::size_t covered);

  /// Leaves the best `beam_size` of a group, all if 0, that are not worse than the best by more than `threshold` unless
  /// that is 0. Those of one coverage stand together then, that of the best first, and within a coverage by score.
  void prune(std::size_t covered, unsigned beam_size, float threshold);

 private:
  struct Scored {
    float total;  // with the estimate of what is open
    std::uint32_t node;
  };

  float total(const Node& node) const { return node.score + coverages_.open_spans_of(node.coverage).estimate; }
  static std::uint64_t hash(const Node& node);
  static bool is_same_state(const Node& a, const Node& b);
  void grow_table(std::size_t covered);

  Graph graph_;
  std::vector<std::vector<std::uint32_t>> groups_;
  const Coverages& coverages_;
  BeamStatistics& statistics_;
  std::vector<std::uint32_t> table_;  // of the group being filled: open addressing from states to nodes
  std::size_t table_used_ = 0;
  std::vector<Scored> order_;
  std::vector<std::uint32_t> coverage_rank_, coverages_seen_;
};

}  // namespace isogloss::search
