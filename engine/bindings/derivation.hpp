#pragma once

#include <nanobind/nanobind.h>

#include "search/derivation.hpp"
#include "search/wording.hpp"

namespace isogloss::bindings {

/// A step of a derivation: origin, kind, source side, span, span of its own words, gaps, target span; in words of the
/// source.
nanobind::tuple to_tuple(const search::DerivationStep& step, const search::Input& input,
                         const search::Wording& wording);

}  // namespace isogloss::bindings
