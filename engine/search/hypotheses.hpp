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

/// The hypotheses of a search in groups by the number of places they cover, and the graph of all ways to them. Storage
/// is used again by the next search.
class Hypotheses {
 public:
  /// Forgets all. `graph` gets the nodes and arcs.
  void begin(std::size_t groups, const Coverages& coverages, Graph& graph, BeamStatistics& statistics);

  const Node& node(std::uint32_t number) const { return graph_->nodes[number]; }
  std::size_t groups() const { return ranges_.size(); }
  /// Numbers of nodes, after `prune`.
  std::span<const std::uint32_t> group(std::size_t covered) const {
    return {kept_.data() + ranges_[covered].begin, ranges_[covered].end - ranges_[covered].begin};
  }
  std::uint32_t group_begin(std::size_t covered) const { return ranges_[covered].begin; }
  /// By position: of a group, from its `group_begin` on.
  const Node& kept(std::uint32_t position) const { return graph_->nodes[kept_[position]]; }
  std::uint32_t kept_number(std::uint32_t position) const { return kept_[position]; }

  /// Before the first `add` to a group; groups are filled consecutively.
  void begin_group();

  /// Adds a hypothesis that was reached by `arc`, or only the arc to one that nothing can tell from it.
  void add(Node& node, Arc arc);
  /// The first hypothesis, which covers nothing.
  void start(const Node& node) { graph_->nodes.push_back(node); }

  /// Ends a group: leaves its best `beam_size`, all if 0, that are not worse than the best by more than `threshold`
  /// unless that is 0. Those of one coverage stand together then, that of the best first, and within a coverage by
  /// score.
  void prune(std::size_t covered, unsigned beam_size, float threshold);

 private:
  struct Scored {
    float total;  // with the estimate of what is open
    std::uint32_t node;
  };
  struct Range {
    std::uint32_t begin, end;
  };

  static std::uint64_t hash(const Node& node) {
    return combine64(std::uint64_t{node.coverage} << 32 | node.lm,
                     (std::uint64_t{node.tail} << 32 | node.sparse) +
                         mix64(std::uint64_t{node.joint} << 32 | node.constraint));
  }
  static bool is_same_state(const Node& a, const Node& b) {
    return a.lm == b.lm && a.coverage == b.coverage && a.tail == b.tail && a.sparse == b.sparse &&
           a.constraint == b.constraint && a.joint == b.joint;
  }
  void grow_table();

  Graph* graph_ = nullptr;
  const Coverages* coverages_ = nullptr;
  BeamStatistics* statistics_ = nullptr;
  std::vector<Range> ranges_;
  std::vector<std::uint32_t> kept_;   // of all groups
  std::uint32_t first_ = 0;           // node of the group being filled
  std::vector<std::uint32_t> table_;  // of the group being filled: open addressing from states to nodes
  std::size_t table_used_ = 0;
  std::vector<Scored> order_;
  std::vector<std::uint32_t> coverage_rank_, coverages_seen_, counts_;
};

}  // namespace isogloss::search
