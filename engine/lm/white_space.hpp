#pragma once

#include <cstddef>
#include <string_view>

namespace isogloss::lm {

/// What separates words: ASCII white space and nothing else, as in the tools of the field.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Calls `visit(word)` for each word of a line.
template <class Visit>
void for_each_word(std::string_view line, Visit&& visit) {
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t start = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    visit(line.substr(start, at - start));
  }
}

}  // namespace isogloss::lm
