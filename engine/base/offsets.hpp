#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace isogloss {

/// Throws std::invalid_argument unless `offsets` has `rows + 1` entries, starts at 0, never falls and ends at
/// `values`. Offsets from a file are safe to follow after this.
inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t rows, std::size_t values,
                          const char* name) {
  if (offsets.size() != rows + 1)
    throw std::invalid_argument(std::string(name) + ": " + std::to_string(offsets.size()) + " offsets for " +
                                std::to_string(rows) + " rows");
  bool sound = offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(values);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) sound &= offsets[i] <= offsets[i + 1];
  if (!sound) throw std::invalid_argument(std::string(name) + ": the offsets do not match the values");
}

}  // namespace isogloss
