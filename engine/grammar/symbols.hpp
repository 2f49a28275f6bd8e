// The two sides of a rule as symbols, and as bytes that sort like the symbols.
//
// A source side is words and gaps; a target side is a phrase (words) followed by up to two gaps, told by
// its shape. As bytes, both are self-delimiting and their order under memcmp is the order of their symbol
// numbers, a side before its own extensions and a gap before every word: what sorts the bytes has built a
// trie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/word.hpp"

namespace isogloss::grammar {

/// A gap among source symbols; word numbers end below it.
inline constexpr WordId kGap = 0xfffffffeu;

/// The gaps that follow the target phrase, by their order on the source side.
enum class Shape : std::uint8_t { plain, one_gap, two_gaps, two_gaps_swapped };

/// How many gaps a rule of this shape has.
constexpr unsigned gap_count(Shape shape) {
  return shape == Shape::plain ? 0 : shape == Shape::one_gap ? 1 : 2;
}

namespace codes {

inline constexpr std::uint64_t kSourceEnd = 0;
inline constexpr std::uint64_t kSourceGap = 1;
inline constexpr std::uint64_t kSourceWords = 2;
/// The code after the last target word is the shape.
inline constexpr std::uint64_t kTargetWords = 4;

inline constexpr std::size_t kLongest = 5;

/// Writes one code at `out`, at most kLongest bytes, and returns how many. The first byte tells the length,
/// and codes of more bytes start with a larger one.
inline std::size_t put(std::uint64_t code, std::uint8_t* out) {
  if (code < 0xc0) {
    out[0] = static_cast<std::uint8_t>(code);
    return 1;
  }
  code -= 0xc0;
  if (code < 0x3000) {
    out[0] = static_cast<std::uint8_t>(0xc0 + (code >> 8));
    out[1] = static_cast<std::uint8_t>(code);
    return 2;
  }
  code -= 0x3000;
  if (code < 0xf0000) {
    out[0] = static_cast<std::uint8_t>(0xf0 + (code >> 16));
    out[1] = static_cast<std::uint8_t>(code >> 8);
    out[2] = static_cast<std::uint8_t>(code);
    return 3;
  }
  code -= 0xf0000;
  out[0] = 0xff;
  for (int i = 1; i < 5; ++i) out[i] = static_cast<std::uint8_t>(code >> (8 * (4 - i)));
  return 5;
}

/// Reads one code and moves `in` behind it. For bytes that `put` wrote.
inline std::uint64_t get(const std::uint8_t*& in) {
  const std::uint64_t first = *in++;
  if (first < 0xc0) return first;
  if (first < 0xf0) return 0xc0 + ((first - 0xc0) << 8 | *in++);
  if (first < 0xff) {
    const std::uint64_t code = (first - 0xf0) << 16 | static_cast<std::uint64_t>(in[0]) << 8 | in[1];
    in += 2;
    return 0x30c0 + code;
  }
  std::uint64_t code = 0;
  for (int i = 0; i < 4; ++i) code = code << 8 | *in++;
  return 0xf30c0 + code;
}

}  // namespace codes

/// Decodes a source side, up to its end code, into `out`.
inline void decode_source(const std::uint8_t* in, std::vector<WordId>& out) {
  out.clear();
  for (std::uint64_t code; (code = codes::get(in)) != codes::kSourceEnd;)
    out.push_back(code == codes::kSourceGap ? kGap : static_cast<WordId>(code - codes::kSourceWords));
}

}  // namespace isogloss::grammar
