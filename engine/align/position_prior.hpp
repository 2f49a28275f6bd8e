// The position prior of the fast model (Dyer, Chahuneau & Smith 2013): a word at position j of `generated`
// words has its partner at position i of `given` words with probability proportional to
// exp(-tension * |i / given - j / generated|), positions counted from 1.
#pragma once

#include <cstddef>
#include <span>

namespace isogloss::align {

/// Sum of exp(-tension * distance) over all partners of word j, in closed form.
double position_normalizer(std::size_t j, std::size_t given, std::size_t generated, double tension);

/// Expected distance of word j's partner under the prior: minus the derivative of the normalizer's log with
/// respect to the tension. In closed form except where that would lose digits.
double expected_distance(std::size_t j, std::size_t given, std::size_t generated, double tension);

/// Writes scale times the prior of each partner of word j.
template <class Real>
void position_prior(std::size_t j, std::size_t generated, double tension, double scale,
                    std::span<Real> prior);

/// How many words (as a sum of posteriors) stood at position j of `generated` with `given` possible partners.
struct PositionMass {
  std::size_t j;
  std::size_t given;
  std::size_t generated;
  double mass;
};

/// The tension at which the total expected distance equals the observed one, the maximum of the likelihood,
/// searched between 0.01 and 50.
double best_tension(std::span<const PositionMass> masses, double observed_distance);

}  // namespace isogloss::align
