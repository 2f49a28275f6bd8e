#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace isogloss {

/// A line of a text file is not what its format asks for. The engine knows lines, not file names: the
/// caller adds the name.
struct LineError : std::runtime_error {
  LineError(const std::string& problem, std::uint64_t line_number, std::string hint_text = {})
      : std::runtime_error(problem), line(line_number), hint(std::move(hint_text)) {}

  std::uint64_t line;  ///< counted from 1
  std::string hint;    ///< what the user can do about it; may be empty
};

}  // namespace isogloss
