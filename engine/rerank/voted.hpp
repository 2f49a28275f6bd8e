#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rerank/lists.hpp"
#include "rerank/pairs.hpp"

namespace isogloss::rerank {

/// The update of the voted perceptron (Watanabe et al., IWSLT 2007): in the order of the current model, highest
/// score first, and in case of ties the earlier one first, every pair whose later candidate is better by d > 0 has the
/// multiplier d.
class Voted {
 public:
  Voted(const Lists& lists, std::span<const double> quality);

  /// Multipliers of a sentence, in O(n log n); the loss is the sum of all d.
  PairTotals multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                         std::span<double> multipliers);

 private:
  struct Place {
    double quality;
    std::uint32_t at;            // position in the order by rising quality
    std::uint32_t lower_end;     // candidates of lower quality: positions [0, lower_end)
    std::uint32_t higher_begin;  // candidates of higher quality: positions [higher_begin, n)
  };
  std::vector<std::int64_t> offsets_;
  std::vector<Place> places_;
  PrefixSums sums_;
  std::vector<std::pair<double, std::size_t>> order_;  // by falling score
};

/// The update of the averaged perceptron: the best candidate by quality (of several, the one with the highest
/// score) against the model's own choice, unless that is as good.
class Perceptron {
 public:
  Perceptron(const Lists& lists, std::span<const double> quality) : lists_(&lists), quality_(quality) {}

  PairTotals multipliers(std::size_t sentence, std::span<const double> scores, double shift,
                         std::span<double> multipliers);

 private:
  const Lists* lists_;
  std::span<const double> quality_;
};

}  // namespace isogloss::rerank
