// For bindings that use a rule table: take `const BoundTable&`.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "grammar/lexicon.hpp"
#include "grammar/table.hpp"

namespace isogloss::bindings {

/// A table over NumPy arrays, which it keeps alive.
struct BoundTable {
  std::vector<nb::object> arrays;
  grammar::RuleTable table;
};

/// A lexicon over NumPy arrays, which it keeps alive.
struct BoundLexicon {
  ArrayIn<std::uint64_t> offsets;
  ArrayIn<WordId> targets;
  ArrayIn<float> probabilities;
  grammar::LexiconView lexicon;
};

}  // namespace isogloss::bindings
