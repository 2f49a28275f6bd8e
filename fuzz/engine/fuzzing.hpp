// What the fuzz targets share: a target is one function that libFuzzer calls with any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// A property that must hold for every input; libFuzzer writes down the input that breaks it.
inline void must(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Splits off the first byte, which chooses among the options of a parser.
inline std::uint8_t take_choice(std::string_view& text) {
  if (text.empty()) return 0;
  const auto first = static_cast<std::uint8_t>(text.front());
  text.remove_prefix(1);
  return first;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
