#pragma once

#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace isogloss::text {

/// A piece of a file as an error message can show it: in quotes, cut when it is long, always valid UTF-8.
/// Bytes that are not text, or that would steer a terminal, become `\x1b`.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "'";
  std::size_t i = 0;
  while (i < text.size() && out.size() <= kLongest) {
    std::size_t length = 1;  // of the character that begins here
    while (length < 4 && i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xc0) == 0x80)
      ++length;
    const std::string_view character = text.substr(i, length);
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 up to U+009F are control characters too.
    const bool control = byte < 0x20 || byte == 0x7f ||
                         (byte == 0xc2 && length > 1 && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    if (is_utf8(character) && !control) {
      out += character;
      i += length;
    } else {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      ++i;
    }
  }
  return out + (i < text.size() ? "…'" : "'");
}

}  // namespace isogloss::text
