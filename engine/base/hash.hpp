// 64-bit hashing that is part of the file formats: the same bytes give the same number on every machine,
// so these functions must never change their results.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace isogloss {

/// A bijection that spreads every input bit over all output bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

/// Combines an ordered pair; `combine64(a, b) != combine64(b, a)` in general.
constexpr std::uint64_t combine64(std::uint64_t a, std::uint64_t b) {
  return mix64(a * 0x9e3779b97f4a7c15ULL + b + 0x632be59bd9b4e019ULL);
}

/// Up to 8 bytes as a little-endian number, whatever the machine's order.
constexpr std::uint64_t little_endian(const char* bytes, std::size_t count) {
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little && count >= 4) {
    if (count == 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes, 8);
      return word;
    }
    std::uint32_t first, last;  // they overlap where the bytes agree anyway
    std::memcpy(&first, bytes, 4);
    std::memcpy(&last, bytes + count - 4, 4);
    return first | static_cast<std::uint64_t>(last) << (8 * (count - 4));
  }
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[k])) << (8 * k);
  return word;
}

/// Hash of a byte string.
constexpr std::uint64_t hash64(std::string_view bytes) {
  std::uint64_t h = 0x2545f4914f6cdd1dULL ^ (bytes.size() * 0x9e3779b97f4a7c15ULL);
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) h = combine64(h, little_endian(bytes.data() + i, 8));
  if (i < bytes.size()) h = combine64(h, little_endian(bytes.data() + i, bytes.size() - i));
  return mix64(h);
}

/// Hash of a byte string that has nothing in common with `hash64`, to tell apart what that does not. Not part of any
/// file format that outlives a run.
constexpr std::uint32_t check32(std::string_view bytes) {
  std::uint32_t h = 0x811c9dc5u;
  for (char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x01000193u;
  return h;
}
constexpr std::uint32_t combine32(std::uint32_t a, std::uint32_t b) {
  std::uint32_t h = (a ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2))) * 0x85ebca6bu;
  return h ^ (h >> 15);
}

}  // namespace isogloss
