#include "text/word_tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/unicode.hpp"

namespace isogloss::text {
namespace {

constexpr std::uint8_t kLetter = 128;  // what words consist of; takes the place of a property that is not needed here
constexpr char32_t kBar = 0x1c1;
constexpr char32_t kNothing = 0x110000;  // before and behind the line
constexpr std::size_t kNone = 0;         // no match; a match ends behind its beginning, never at 0
constexpr std::size_t kLongestChoice = 4;
constexpr std::size_t kLongestNumber = 6;

bool one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }
bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019; }
bool is_hyphen(char32_t c) { return c == '-' || c == 0x2011; }
bool is_hebrew(char32_t c) { return c >= 0x5d0 && c <= 0x5ea; }
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_capital(char32_t c) { return c >= 'A' && c <= 'Z'; }
/// Soft hyphens, zero-width joiners and non-joiners, word joiners.
bool is_inside(char32_t c) { return c == 0xad || c == 0x200c || c == 0x200d || c == 0x2060; }

struct Line {
  std::vector<char32_t> codes;
  std::vector<std::uint8_t> kinds;
  std::vector<std::size_t> begins;  // in bytes, and the end
};

/// Finds the token that begins at a place in a line.
class Matcher {
 public:
  Matcher(const Line& line, WordTokenizer::Cut cut) : line_(line), cut_(cut) {}

  /// The end of the token at `i`, where there is no white space.
  std::size_t token(std::size_t i) {
    std::size_t end = kNone;
    const char32_t c = code(i);
    if (c == kBar && (end = mark(i)) != kNone) return end;
    if (is_letter(i) && ((end = address(i)) != kNone || (end = email(i)) != kNone)) return end;
    if (cut_ == WordTokenizer::Cut::kBefore && is_apostrophe(c) && i > 0 && is_letter(i - 1) && is_letter(i + 1))
      return word(i + 1);
    if ((end = whole(i)) != kNone) return end;
    end = i + 1;
    if (one_of(c, U".-*=~#!?+|/&:–—"))  // one token when repeated
      while (code(end) == c) ++end;
    return end;
  }

 private:
  char32_t code(std::size_t i) const { return i < line_.codes.size() ? line_.codes[i] : kNothing; }
  bool is(std::size_t i, std::uint8_t kind) const { return i < line_.kinds.size() && (line_.kinds[i] & kind) != 0; }
  bool is_letter(std::size_t i) const { return is(i, kLetter); }

  std::size_t mark(std::size_t i) const {
    std::size_t j = i + 1;
    while (is_digit(code(j))) ++j;
    return j > i + 1 && j <= i + 1 + kLongestNumber && code(j) == kBar ? j + 1 : kNone;
  }

  bool reads(std::size_t i, std::u32string_view text) const {
    for (char32_t c : text)
      if (code(i++) != c) return false;
    return true;
  }

  std::size_t address(std::size_t i) const {
    std::size_t begin = 0;
    for (std::u32string_view scheme : {U"http://", U"https://", U"ftp://"})
      if (reads(i, scheme)) begin = i + scheme.size();
    if (begin == 0) return kNone;
    std::size_t end = begin;
    while (end < line_.codes.size() && !is(end, kSpace) && !one_of(code(end), U"<>\"")) ++end;
    while (end > begin && one_of(code(end - 1), U"'.,;:!?)]}»”’…")) --end;
    return end > begin ? end : kNone;
  }

  std::size_t email(std::size_t i) {
    if (i < no_email_before_) return kNone;
    std::size_t j = i + 1;
    while (is(j, kWord) || one_of(code(j), U".+-")) ++j;
    if (code(j) == '@' && is_letter(j + 1)) return word(j + 1);
    no_email_before_ = j;  // from inside it the same end is reached; searching again would take quadratic time
    return kNone;
  }

  std::size_t letters(std::size_t i) const {
    while (is_letter(i)) ++i;
    return i;
  }

  /// The end of a word that begins with the letter at `i`.
  std::size_t word(std::size_t i) const {
    std::size_t j = letters(i + 1);
    for (;;) {
      const char32_t c = code(j);
      if (c == '(') {  // "file(s)" is a word
        std::size_t k = j + 1;
        while (k <= j + kLongestChoice && is_letter(k)) ++k;
        if (k == j + 1 || code(k) != ')') return j;
        j = letters(k + 1);
        continue;
      }
      const bool joins = is_joint(c) ? is_letter(j + 1)
                         : c == ',' || c == ':' ? is(j - 1, kDecimal) && is(j + 1, kDecimal)
                         : c == '&'             ? is_capital(code(j - 1)) && is_capital(code(j + 1))  // R&D
                                                : c == '"' && is_hebrew(code(j - 1)) && is_hebrew(code(j + 1));
      if (!joins) return j;
      j = letters(j + 1);
    }
  }

  bool is_joint(char32_t c) const {
    return one_of(c, U"-‐‑־.·=׳״") || (cut_ == WordTokenizer::Cut::kNever && is_apostrophe(c));
  }

  /// A word with the hyphens or the period before it and what belongs to its end.
  std::size_t whole(std::size_t i) const {
    std::size_t begin = i;
    if (code(i) == '-') {  // an option: --all
      if (i > 0 && (is(i - 1, kWord) || code(i - 1) == '-')) return kNone;
      begin = code(i + 1) == '-' ? i + 2 : i + 1;
    } else if (code(i) == '.') {  // an extension: .txt
      const char32_t next = code(i + 1);
      if (next < 'a' || next > 'z' || (i > 0 && (is(i - 1, kWord) || code(i - 1) == '.'))) return kNone;
      begin = i + 1;
    }
    if (!is_letter(begin)) return kNone;
    const std::size_t end = word(begin);
    if (cut_ == WordTokenizer::Cut::kAfter && is_apostrophe(code(end)) && is_letter(end + 1)) return end + 1;
    // A hyphen at the end of a word belongs to it: "Ein- und Ausgabe".
    if (is_hyphen(code(end)) && !is_letter(end + 1) && !is_hyphen(code(end + 1))) return end + 1;
    return code(end) == '(' && code(end + 1) == ')' ? end + 2 : end;
  }

  const Line& line_;
  WordTokenizer::Cut cut_;
  std::size_t no_email_before_ = 0;
};

void decode(std::string_view bytes, Line& line) {
  line.codes.clear();
  line.kinds.clear();
  line.begins.clear();
  for (std::size_t at = 0; at < bytes.size();) {
    line.begins.push_back(at);
    const char32_t c = next_code(bytes, at);
    const std::uint8_t known = properties(c);
    const bool letter = (known & (kWord | kMark)) != 0 || is_inside(c);
    line.codes.push_back(c);
    line.kinds.push_back(static_cast<std::uint8_t>((known & (kWord | kDecimal | kSpace)) | (letter ? kLetter : 0)));
  }
  line.begins.push_back(bytes.size());
}

}  // namespace

void WordTokenizer::tokenize(std::string_view bytes, std::string& out) const {
  thread_local Line line;
  decode(bytes, line);
  Matcher matcher(line, cut_);
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < line.codes.size();) {
    if ((line.kinds[i] & kSpace) != 0) {
      ++i;
      continue;
    }
    const std::size_t end = matcher.token(i);
    if (out.size() > before) out.push_back(' ');
    out.append(bytes.substr(line.begins[i], line.begins[end] - line.begins[i]));
    i = end;
  }
}

}  // namespace isogloss::text
