#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace isogloss::align {

/// How the position of a word's partner is modeled. Model 1 is the fast model with tension 0.
enum class AlignmentModelType : std::uint8_t {
  kModel1,  ///< all positions alike
  kFast,    ///< near the diagonal: a log-linear position prior
  kHmm,     ///< near the partner of the word before
};

/// Jumps of up to this many words have a weight each; longer ones share one per direction.
inline constexpr int kJumpReach = 10;
inline constexpr std::size_t kJumpWeights = 2 * kJumpReach + 1;
using JumpWeights = std::array<double, kJumpWeights>;

/// Where an HMM starts: one step forward is likeliest, far jumps are not ruled out.
inline JumpWeights initial_jumps() {
  JumpWeights weights{};
  for (int jump = -kJumpReach; jump <= kJumpReach; ++jump)
    weights[static_cast<std::size_t>(jump + kJumpReach)] = std::exp(-std::abs(jump - 1) / 5.0) + 0.01;
  return weights;
}

/// The position parameters of one direction. "Forward" is p(target | source): each target word has its
/// partner among the source words; "backward" is the other way round.
struct DirectionParameters {
  JumpWeights jumps = initial_jumps();
  double tension = 4.0;
};

/// Everything an alignment model knows besides its lexical table.
struct AlignmentParameters {
  AlignmentModelType type = AlignmentModelType::kHmm;
  double null_probability = 0.2;  ///< that a word has no partner
  double uniform_jump = 0.1;      ///< share of the jump distribution that is uniform
  double lexical_floor = 1e-6;    ///< added to every lexical probability
  std::array<DirectionParameters, 2> directions;  ///< forward, backward
};

}  // namespace isogloss::align
