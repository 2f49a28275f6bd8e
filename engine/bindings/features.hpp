// For bindings that use sparse features: take `const BoundSparse&` and `const BoundWeights&`.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "features/scorer.hpp"
#include "features/weights.hpp"

namespace isogloss::bindings {

namespace nb = nanobind;

/// The templates in use, over vocabularies that Python keeps alive.
struct BoundSparse {
  BoundSparse(features::Lexicon lexicon, std::vector<features::ActiveTemplate> templates)
      : model(std::move(lexicon), std::move(templates)) {}
  BoundSparse(const BoundSparse&) = delete;
  BoundSparse& operator=(const BoundSparse&) = delete;

  features::SparseModel model;
};

/// Weights of sparse features, stored or being learned.
struct BoundWeights {
  virtual ~BoundWeights() = default;
  virtual features::WeightView view() const = 0;
};

/// Weights that are being learned.
struct LearnedWeights final : BoundWeights {
  LearnedWeights() = default;
  LearnedWeights(const LearnedWeights&) = delete;
  LearnedWeights& operator=(const LearnedWeights&) = delete;
  features::WeightView view() const override { return table.view(); }

  features::WeightTable table;
  /// Numbers that stand for two features, with the name of the one that was met second.
  std::vector<std::pair<std::uint64_t, std::string>> collisions;
};

}  // namespace isogloss::bindings
