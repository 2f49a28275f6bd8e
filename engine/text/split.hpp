#pragma once

#include <string_view>

namespace isogloss::text {

/// Tokens are separated by ASCII whitespace and by nothing else: a no-break or ideographic space may be
/// part of a word.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Walks over the tokens of a line without copying them.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : rest_(line) {}

  /// The next token, or an empty view at the end.
  std::string_view next() {
    rest();
    std::size_t end = 0;
    // All spaces are among the first 33 characters, and hardly anything else in a text is.
    while (end < rest_.size() && (static_cast<unsigned char>(rest_[end]) > ' ' || !is_space(rest_[end]))) ++end;
    const std::string_view token = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return token;
  }

  /// What has not been taken yet, from the next token on.
  std::string_view rest() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_;
  }

  /// Goes past the next `bytes` bytes, which the caller has read in `rest()`.
  void skip(std::size_t bytes) { rest_.remove_prefix(bytes); }

 private:
  std::string_view rest_;
};

}  // namespace isogloss::text
