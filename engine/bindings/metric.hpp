#pragma once

#include <optional>
#include <string>

#include "metric/bleu.hpp"

namespace isogloss::bindings {

/// Options of BLEU from their names in Python; throws std::invalid_argument for an unknown smoothing.
BleuOptions bleu_options(const std::string& smoothing, std::optional<double> value, bool effective_order);

}  // namespace isogloss::bindings
