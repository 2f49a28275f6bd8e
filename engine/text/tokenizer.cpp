#include "text/tokenizer.hpp"

#include "text/lines.hpp"

namespace isogloss::text {

std::vector<std::string> tokenize_lines(const Tokenizer& tokenizer, const std::vector<std::string_view>& lines,
                                        std::size_t threads) {
  return changed_lines(lines, threads,
                       [&](std::string_view line, std::string& out) { tokenizer.tokenize(line, out); });
}

}  // namespace isogloss::text
