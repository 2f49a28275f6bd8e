#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adapt/lists.hpp"

namespace isogloss::adapt {

struct MarginOptions {
  double tolerance = 1e-8;      ///< stop when the objective is at most so far from its minimum
  std::size_t max_passes = 500; ///< over all examples
};

struct MarginResult {
  std::vector<double> change;  ///< of the baseline weights, one per feature
  double objective;            ///< at the result
  double gap;                  ///< the objective's distance from its minimum is at most this
  std::size_t passes;
};

/// MBUU (Liu et al. 2012, eq. 4): minimizes over W
///
///     ½‖W − W_b‖² + Σ_j strength_j · max_n (ℓ_jn − W·(h_j* − h_jn))
///
/// where h_j* is the candidate of the largest gain, the first of equals, and ℓ_jn what gain n lacks of it. The dual
/// is solved by pairs of candidates, those of one example at a time; the duality gap says when it is done. A
/// strength of 0 for all gives a change of exactly 0. Throws std::invalid_argument if sizes do not fit.
MarginResult margin_update(const CandidateLists& lists, std::span<const double> gains,
                           std::span<const double> strengths, std::span<const double> baseline,
                           const MarginOptions& options);

/// The objective at baseline + change.
double margin_objective(const CandidateLists& lists, std::span<const double> gains, std::span<const double> strengths,
                        std::span<const double> baseline, std::span<const double> change);

}  // namespace isogloss::adapt
