#pragma once

#include <cstdint>
#include <vector>

#include "search/cubes.hpp"
#include "search/hypotheses.hpp"
#include "search/joint_scores.hpp"
#include "search/lm_states.hpp"

namespace isogloss::search {

/// A cell of a cube in the queue.
struct QueueItem {
  float estimate;
  std::uint32_t cube;
  std::uint32_t hypothesis, option;  ///< positions in the cube
};

/// What a search needs only while it runs; the next one uses the storage again. One per thread.
struct BeamMemory {
  Hypotheses hypotheses;
  Cubes cubes;
  LmStates lm;
  JointScores joint;
  std::vector<QueueItem> heap, corners;
};

}  // namespace isogloss::search
