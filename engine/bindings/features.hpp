// For bindings that use sparse features: take `const BoundSparse&` and `const BoundWeights&`.
#pragma once

#include <nanobind/nanobind.h>

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

}  // namespace isogloss::bindings
