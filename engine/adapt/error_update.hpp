#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adapt/expected_loss.hpp"
#include "adapt/lists.hpp"

namespace isogloss::adapt {

struct ErrorOptions {
  double sharpness = 20;         ///< α: how much the best candidates dominate the expectation
  double tolerance = 1e-7;       ///< stop when no component of the gradient is larger
  double least_gain = 1e-14;     ///< stop when a step lowers the objective by no more
  std::size_t iterations = 50;
};

struct ErrorResult {
  std::vector<double> change;    ///< of the baseline weights, one per feature
  double start, objective;       ///< at the baseline, and at the result: never higher
  std::size_t iterations;
};

/// The objective of EBUU (Liu et al. 2012, eq. 6) at W = baseline + change,
///
///     ½‖W − W_b‖² + loss(P_α(· | j; W) for all j),   P_α(n | j; W) ∝ exp(α W·h_jn)
///
/// and its gradient.
double error_objective(const CandidateLists& lists, const ExpectedLoss& loss, std::span<const double> strengths,
                       std::span<const double> baseline, std::span<const double> change, double sharpness,
                       std::span<double> gradient);

/// EBUU: descends from `start` (a change of the baseline, or nothing for the baseline itself) by limited-memory
/// BFGS. If that start is above the baseline's objective, the descent begins at the baseline. A strength of 0 for
/// all gives a change of exactly 0. Throws std::invalid_argument if sizes do not fit.
ErrorResult error_update(const CandidateLists& lists, const ExpectedLoss& loss, std::span<const double> strengths,
                         std::span<const double> baseline, std::span<const double> start, const ErrorOptions& options);

}  // namespace isogloss::adapt
