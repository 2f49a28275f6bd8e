// For bindings that use a rule table: take `const BoundTable&`.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "grammar/table.hpp"

namespace isogloss::bindings {

/// A table over NumPy arrays, which it keeps alive.
struct BoundTable {
  std::vector<nb::object> arrays;
  RuleTable table;
};

}  // namespace isogloss::bindings
