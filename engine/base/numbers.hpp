// Numbers in text, the one place where the engine reads and prints them. Independent of the locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace isogloss {

/// The whole of `text` as a number; "nan" and "inf" are numbers here, their meaning is the caller's matter.
/// A leading '+' is accepted, as printf and scientific tools write it.
inline std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is zero for every purpose here; too large is not a number we can keep. The
    // library does not say which of the two it was.
    const std::size_t exponent = text.find_first_of("eE");
    const std::string_view whole = text.substr(0, text.find_first_of(".eE"));
    const bool tiny = exponent == std::string_view::npos ? whole.find_first_of("123456789") == whole.npos
                                                         : text[exponent + 1] == '-';
    return tiny ? std::optional<double>(0.0) : std::nullopt;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// The whole of `text` as a whole number without sign.
inline std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Appends the shortest text that reads back as the same number.
template <class Number>
void append_number(std::string& out, Number value) {
  char digits[40];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, error == std::errc() ? end : digits);
}

}  // namespace isogloss
