// For bindings that use sparse features: take `const BoundSparse&` and `const features::WeightSource&`.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "features/scorer.hpp"
#include "features/weight_source.hpp"

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

/// Weights that are being learned. Whoever changes them holds the interpreter's lock; searches need not.
struct LearnedWeights final : features::WeightSource {
  features::PinnedWeights pin() const override { return learned.pin(); }

  features::LearnedTable learned;
  /// Numbers that stand for two features, with the name of the one that was met second.
  std::vector<std::pair<std::uint64_t, std::string>> collisions;
};

}  // namespace isogloss::bindings
