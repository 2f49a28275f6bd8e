#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace isogloss::text {

/// Whether the bytes are well-formed UTF-8: shortest forms only, no surrogates, nothing past U+10FFFF.
inline bool is_utf8(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return i < bytes.size() && byte(i) >= low && byte(i) <= high;
  };
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (i + 8 <= bytes.size()) {  // most text is ASCII: eight bytes at a time
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        i += 8;
        continue;
      }
    }
    const unsigned lead = byte(i);
    if (lead < 0x80) {
      i += 1;
    } else if (lead >= 0xc2 && lead <= 0xdf) {
      if (!follows(i + 1)) return false;
      i += 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      if (!follows(i + 1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) || !follows(i + 2)) return false;
      i += 3;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      if (!follows(i + 1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) || !follows(i + 2) ||
          !follows(i + 3))
        return false;
      i += 4;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace isogloss::text
