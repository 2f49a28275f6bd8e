// For bindings that use a language model: take `const MappedModel&`.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "lm/model.hpp"

namespace isogloss::bindings {

/// A model together with the arrays it is a view of.
struct MappedModel : lm::Model {
  MappedModel(const lm::ModelArrays& views, std::vector<nb::object> held)
      : lm::Model(views), arrays(std::move(held)) {}

  std::vector<nb::object> arrays;
};

}  // namespace isogloss::bindings
