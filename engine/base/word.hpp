#pragma once

#include <cstdint>

namespace isogloss {

/// A word's number in a vocabulary: what rooms tell one another of text.
using WordId = std::uint32_t;
inline constexpr WordId kNoWord = 0xffffffffu;

}  // namespace isogloss
