// Numbers in text, the one place where the engine reads and prints them. Independent of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace isogloss {

/// Whether a decimal number that is out of a double's range is too close to zero, not too far from it.
inline bool is_tiny(std::string_view text) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, exponent_at);
  const std::size_t first = digits.find_first_of("123456789");
  const std::size_t point = digits.find('.');
  const auto whole = static_cast<std::ptrdiff_t>(point == digits.npos ? digits.size() : point);
  const std::ptrdiff_t leading = whole - static_cast<std::ptrdiff_t>(first);  // its power of ten, plus 1
  if (exponent_at == text.npos) return leading <= 0;
  std::string_view exponent = text.substr(exponent_at + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::int32_t written = 0;
  const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), written);
  return error == std::errc() ? leading + written < 0 : exponent.front() == '-';
}

/// Reads a number such as `-12.3456`, of at most 15 digits, that begins at `begin` and gives its end; null if
/// there is none. Digits and power of ten are exact as doubles, so that one division rounds correctly.
inline const char* parse_short_decimal(const char* begin, const char* end, double& value) {
  constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = begin != end && *begin == '-';
  if (negative) ++begin;
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    const char* const first = begin;
    for (unsigned digit; begin != end && (digit = static_cast<unsigned char>(*begin) - unsigned{'0'}) < 10; ++begin)
      digits = digits * 10 + digit;
    return begin - first;
  };
  const auto whole = take_digits();
  std::ptrdiff_t decimals = 0;
  if (begin != end && *begin == '.') {
    ++begin;
    decimals = take_digits();
  }
  if (whole + decimals < 1 || whole + decimals > 15) return nullptr;
  value = static_cast<double>(digits) / kPowers[decimals];
  if (negative) value = -value;
  return begin;
}

/// The whole of `text` as a number; "nan" and "inf" are numbers here, their meaning is the caller's matter.
/// A leading '+' is accepted, as printf and scientific tools write it.
inline std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  if (parse_short_decimal(text.data(), text.data() + text.size(), value) == text.data() + text.size() &&
      !text.empty())
    return value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is zero for every purpose here; too large is not a number we can keep. The
    // library does not say which of the two it was.
    if (!is_tiny(text)) return std::nullopt;
    return text.front() == '-' ? -0.0 : 0.0;
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
