#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode_tables.hpp"  // generated while building

namespace isogloss::text {

/// What Python's `str` and `re` say of a character. The order of the bits is that of make_unicode_tables.py.
enum Property : std::uint8_t {
  kWord = 1,         // \w
  kDecimal = 2,      // \d
  kSpace = 4,        // \s
  kMark = 8,         // combining marks
  kLowercase = 16,   // islower()
  kHasCase = 32,     // has another lower or title case
  kCased = 64,       // for the final sigma only
  kIgnorable = 128,  // for the final sigma only
};

inline constexpr char32_t kLastCode = 0x10ffff;

inline std::uint8_t properties(char32_t c) {
  return c > kLastCode ? std::uint8_t{0} : tables::kFlags[tables::kBlocks[c >> 8]][c & 0xff];
}

/// The code point at `at`, which moves on behind it. Python's lone surrogates are code points like any other; a byte
/// that is not part of any becomes U+FFFD.
inline char32_t next_code(std::string_view bytes, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const char32_t lead = byte(at++);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  char32_t code = lead & (0x3f >> more);
  for (std::size_t k = 0; k < more; ++k) {
    if (at + k >= bytes.size() || (byte(at + k) & 0xc0) != 0x80) return 0xfffd;
    code = code << 6 | (byte(at + k) & 0x3f);
  }
  at += more;
  return more == 0 || code > kLastCode ? 0xfffd : code;
}

inline void append_code(std::string& out, char32_t c) {
  const auto byte = [&](char32_t value) { out.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6);
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3f));
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

/// Replaces `out` by the text in lower case, as `str.lower` has it. With `dotted`, I and İ are the capitals of ı and i.
void lower(std::string_view text, bool dotted, std::string& out);

/// Appends a character in upper case, as `str.upper` has it.
void append_upper(std::string& out, char32_t c);

/// Whether the token is the mark of a placeholder: up to six digits between two U+01C1.
bool is_placeholder_mark(std::string_view token);

}  // namespace isogloss::text
