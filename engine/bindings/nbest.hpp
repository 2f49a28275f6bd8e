// For bindings that make n-best lists.
#pragma once

#include <nanobind/nanobind.h>

#include "nbest/columns.hpp"

namespace isogloss::bindings {

/// The columns of a list as the Python side takes them, by name.
nanobind::dict to_dict(nbest::NbestColumns&& columns);

}  // namespace isogloss::bindings
