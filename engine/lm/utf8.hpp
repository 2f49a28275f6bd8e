#pragma once

#include <cstddef>
#include <string_view>

namespace isogloss::lm {

/// Whether a word can be shown to Python: well-formed UTF-8 without overlong forms and surrogates.
constexpr bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = byte(i++);
    if (lead < 0x80) continue;
    const unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || i + more > text.size()) return false;
    const unsigned char first = byte(i);
    if ((lead == 0xe0 && first < 0xa0) || (lead == 0xed && first > 0x9f) || (lead == 0xf0 && first < 0x90) ||
        (lead == 0xf4 && first > 0x8f))
      return false;
    for (unsigned k = 0; k < more; ++k)
      if ((byte(i++) & 0xc0) != 0x80) return false;
  }
  return true;
}

}  // namespace isogloss::lm
