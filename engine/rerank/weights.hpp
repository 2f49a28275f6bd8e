#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rerank/lists.hpp"

namespace isogloss::rerank {

/// Weights that online learning changes sentence by sentence, with their average over all steps.
///
/// `rates` are step sizes, one per dense column and a last one for all sparse columns: with the rate 1/σ² a
/// feature is learned as if it had been divided by its standard deviation σ, and no scaled copy is needed.
class Weights {
 public:
  /// Throws std::invalid_argument unless there is one rate per dense column and one more.
  Weights(std::vector<double> start, std::size_t columns, std::vector<double> rates);

  std::span<const double> current() const { return current_; }
  std::size_t columns() const { return columns_; }
  std::uint64_t steps() const { return steps_; }

  /// w += rate · Σ_j multipliers[j] · (x_j − x_first) over the candidates of a sentence. The multipliers of a
  /// sentence sum to 0, so that the first candidate's features change nothing but rounding.
  void add(const Lists& lists, std::size_t sentence, std::span<const double> multipliers);

  /// Ends a step: one more vector of the average. A step without an update counts too.
  void end_step() { ++steps_; }

  /// Mean of the weights after every step; the current ones before the first.
  std::vector<double> average() const;

 private:
  void change(std::size_t at, double by) {
    current_[at] += by;
    late_[at] += static_cast<double>(steps_) * by;
  }

  std::size_t columns_;
  std::vector<double> current_;
  std::vector<double> late_;  // Σ (steps before the change) · change: average = current − late / steps
  std::vector<double> rates_;
  std::vector<double> summed_;  // of one sentence
  std::uint64_t steps_ = 0;
};

}  // namespace isogloss::rerank
