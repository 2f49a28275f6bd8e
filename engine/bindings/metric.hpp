#pragma once

#include <optional>
#include <string>

#include "metric/bleu.hpp"

namespace isogloss::bindings {

/// The kind of reference length by its name in Python; throws std::invalid_argument for an unknown one.
metric::ReferenceLength reference_length(const std::string& name);

/// Options of BLEU from their names in Python; throws std::invalid_argument for an unknown smoothing.
metric::BleuOptions bleu_options(const std::string& smoothing, std::optional<double> value, bool effective_order);

}  // namespace isogloss::bindings
