#pragma once

#include <vector>

#include "learn/large_margin.hpp"

namespace isogloss::learn {

/// The inner products of all rows, `rows.size()` squared numbers.
///
/// The origin is moved so that what all rows share is zero: differences of rows, the only thing an update
/// looks at, stay the same and lose no digits. Equal rows have exactly equal products.
std::vector<double> gram_matrix(const FeatureRows& rows);

}  // namespace isogloss::learn
