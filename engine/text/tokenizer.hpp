#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isogloss::text {

/// Splits text into tokens. Many threads may share one.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Appends the tokens of a line to `out`, with a space between them. A token has no white space in it.
  virtual void tokenize(std::string_view line, std::string& out) const = 0;
};

/// Tokenizes every line; the result does not depend on the number of threads.
std::vector<std::string> tokenize_lines(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines,
                                        std::size_t threads);

}  // namespace isogloss::text
