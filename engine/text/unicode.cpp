#include "text/unicode.hpp"

#include <algorithm>
#include <iterator>

namespace isogloss::text {
namespace {

constexpr char32_t kCapitalSigma = 0x3a3, kSigma = 0x3c3, kFinalSigma = 0x3c2;
constexpr char32_t kDottedCapitalI = 0x130, kDotlessI = 0x131;

/// Whether capital sigmas end their words; asked about them from left to right.
class FinalSigma {
 public:
  explicit FinalSigma(std::string_view text) : text_(text) {}

  /// About the sigma at `at`, which ends at `end`.
  bool operator()(std::size_t at, std::size_t end) {
    while (seen_ < at) {  // what counts is the last character that is not ignorable
      const std::uint8_t property = properties(next_code(text_, seen_));
      if ((property & kIgnorable) == 0) cased_ = (property & kCased) != 0;
    }
    if (!cased_) return false;
    while (end < text_.size()) {
      const std::uint8_t property = properties(next_code(text_, end));
      if ((property & kIgnorable) == 0) return (property & kCased) == 0;
    }
    return true;
  }

 private:
  std::string_view text_;
  std::size_t seen_ = 0;
  bool cased_ = false;
};

/// Appends what a table of another case has for a character: itself, if nothing.
template <std::size_t kRows, std::size_t kColumns>
void append_cased(std::string& out, char32_t c, const std::uint32_t (&table)[kRows][kColumns]) {
  const auto before = [](const std::uint32_t(&row)[kColumns], char32_t code) { return row[0] < code; };
  const auto* found = std::lower_bound(std::begin(table), std::end(table), c, before);
  if (found == std::end(table) || (*found)[0] != c) return append_code(out, c);
  for (std::size_t i = 1; i < kColumns && (*found)[i] != 0; ++i) append_code(out, (*found)[i]);
}

void append_lower(std::string& out, char32_t c) {
  if ((properties(c) & kHasCase) == 0) return append_code(out, c);
  append_cased(out, c, tables::kLower);
}

}  // namespace

void lower(std::string_view text, bool dotted, std::string& out) {
  out.clear();
  FinalSigma is_final(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code(text, at);
    if (dotted && (c == 'I' || c == kDottedCapitalI)) {
      append_code(out, c == 'I' ? kDotlessI : U'i');
    } else if (c < 0x80) {
      out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
    } else if (c == kCapitalSigma) {
      append_code(out, is_final(begin, at) ? kFinalSigma : kSigma);
    } else {
      append_lower(out, c);
    }
  }
}

void append_upper(std::string& out, char32_t c) {
  if (c < 0x80) return out.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c));
  append_cased(out, c, tables::kUpper);
}

bool is_placeholder_mark(std::string_view token) {
  constexpr std::string_view kBar = "\xc7\x81";
  if (token.size() < 5 || token.size() > 10 || !token.starts_with(kBar) || !token.ends_with(kBar)) return false;
  const std::string_view digits = token.substr(2, token.size() - 4);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace isogloss::text
