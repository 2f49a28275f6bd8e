#pragma once

#include <string_view>

namespace isogloss {

/// Tokens are separated by ASCII white space and by nothing else: a no-break or ideographic space may be
/// part of a word.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Walks over the tokens of a line without copying them.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : rest_(line) {}

  /// The next token, or an empty view at the end.
  std::string_view next() {
    std::size_t begin = 0;
    while (begin < rest_.size() && is_space(rest_[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest_.size() && !is_space(rest_[end])) ++end;
    const std::string_view token = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return token;
  }

 private:
  std::string_view rest_;
};

}  // namespace isogloss
