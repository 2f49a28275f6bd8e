#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "search/coverage.hpp"

namespace isogloss::search {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// One way to a state of the search: from which state, by which match and which of its options.
struct Arc {
  std::uint32_t from;
  std::uint32_t match;   ///< kNone for the arc that ends the sentence
  std::uint32_t option;  ///< position among all options
  std::uint32_t next;    ///< another arc to the same state, or kNone
  float score;           ///< what it adds
};

/// A state of the search with all ways to it that were found.
struct Node {
  float score;           ///< of the best way here from the start
  std::uint32_t coverage;
  std::uint32_t tail;    ///< the last option, if its orientation toward what follows is scored; else kNone
  std::uint32_t arcs;    ///< the last found arc, kNone at the start
  std::uint32_t sparse;  ///< what sparse features remember, 0 without any
  std::uint32_t constraint;  ///< what the constraint remembers, 0 without one
  std::uint32_t best;    ///< the arc of the best way
  std::uint32_t lm;      ///< the state of the language model, by its number
  std::uint32_t joint;   ///< that of the joint model, 0 without one
};

/// What a search leaves behind: an acyclic graph from node 0 to `goal` in which every path is a derivation and
/// its score the sum of its arcs'. Hypotheses that were recombined are different paths through one node.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Arc> arcs;
  std::uint32_t goal = kNone;  ///< kNone if nothing reached the end
};

}  // namespace isogloss::search
