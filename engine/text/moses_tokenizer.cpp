#include "text/moses_tokenizer.hpp"

#include <algorithm>

#include "text/unicode.hpp"

namespace isogloss::text {
namespace {

constexpr std::uint8_t kAlphanumeric = 1, kAlphabetic = 2, kNumeric = 4, kLower = 8;
constexpr std::u32string_view kDot = U"DOT", kMulti = U"MULTI";  // "..." is "DOTDOTDOTMULTI" meanwhile

std::u32string decoded(std::string_view bytes) {
  std::u32string codes;
  for (std::size_t at = 0; at < bytes.size();) codes.push_back(next_code(bytes, at));
  return codes;
}

bool is_white(char32_t c) { return (properties(c) & kSpace) != 0; }

void append(std::vector<char32_t>& out, std::u32string_view text) { out.insert(out.end(), text.begin(), text.end()); }

/// Appends tokens, with a space between them and repeated dots restored.
class Output {
 public:
  explicit Output(std::string& out) : out_(out), before_(out.size()) {}

  void token(std::u32string_view token) {
    if (token.empty()) return;
    if (out_.size() > before_) out_.push_back(' ');
    while (!token.empty()) {
      std::size_t dots = 0;
      while (token.substr(dots * kDot.size()).starts_with(kDot)) ++dots;
      std::u32string_view word = token.substr(0, std::max<std::size_t>(1, dots * kDot.size()));
      token.remove_prefix(word.size());
      if (dots > 0 && token.starts_with(kMulti)) {
        out_.append(dots, '.');
        token.remove_prefix(kMulti.size());
      } else {
        for (char32_t c : word) append_code(out_, c);
      }
    }
  }

 private:
  std::string& out_;
  std::size_t before_;
};

}  // namespace

/// Every rule reads `text` and writes `next`, and then they change places.
struct MosesTokenizer::Scratch {
  Text text, next;
  std::vector<std::u32string_view> words;

  void swap() {
    text.swap(next);
    next.clear();
  }
  bool has(char32_t c) const { return std::find(text.begin(), text.end(), c) != text.end(); }
};

MosesTokenizer::MosesTokenizer(const MosesRules& rules)
    : kinds_(kLastCode + 1), apostrophe_(rules.apostrophe), hyphens_(rules.hyphens) {
  const auto note = [&](std::string_view characters, std::uint8_t kind) {
    for (std::size_t at = 0; at < characters.size();) kinds_[next_code(characters, at)] |= kind;
  };
  note(rules.alphanumeric, kAlphanumeric);
  note(rules.alphabetic, kAlphabetic);
  note(rules.numeric, kNumeric);
  note(rules.lowercase, kLower);
  for (std::string_view prefix : rules.prefixes) prefixes_.insert(decoded(prefix));
  for (std::string_view prefix : rules.numeric_prefixes) numeric_prefixes_.insert(decoded(prefix));
}

void MosesTokenizer::tokenize(std::string_view line, std::string& out) const {
  thread_local Scratch scratch;
  clean(line, scratch.text);
  pad(scratch);
  if (hyphens_) split_hyphens(scratch);
  if (scratch.has(',')) split_commas(scratch);
  if (scratch.has('\'')) split_apostrophes(scratch);

  const Text& text = scratch.text;
  auto& words = scratch.words;
  words.clear();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && !is_white(text[i])) ++i;
    if (i > begin) words.emplace_back(text.data() + begin, i - begin);
    while (i < text.size() && is_white(text[i])) ++i;
  }
  Output output(out);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::u32string_view word = words[i];
    const std::u32string_view next = i + 1 < words.size() ? words[i + 1] : std::u32string_view();
    if (next.empty() && word.ends_with(U".'")) {
      output.token(word.substr(0, word.size() - 2));
      output.token(U".");
      output.token(U"'");
    } else if (word.size() > 1 && word.back() == '.' && !keeps_period(word.substr(0, word.size() - 1), next)) {
      output.token(word.substr(0, word.size() - 1));
      output.token(U".");
    } else {
      output.token(word);
    }
  }
}

/// One space for all white space but none at the ends, no control characters.
void MosesTokenizer::clean(std::string_view line, Text& text) const {
  text.clear();
  bool white = false;
  for (std::size_t at = 0; at < line.size();) {
    const char32_t c = next_code(line, at);
    const bool now = is_white(c);
    if (now ? !white : c >= 0x20) text.push_back(now ? U' ' : c);
    white = now;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text.erase(text.begin(), std::find_if(text.begin(), text.end(), [](char32_t c) { return c != ' '; }));
}

/// Spaces around all that is not alphanumeric, and around repeated dots, which become a word.
void MosesTokenizer::pad(Scratch& scratch) const {
  const Text& text = scratch.text;
  Text& out = scratch.next;
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == '.' && i + 1 < text.size() && text[i + 1] == '.') {
      out.push_back(' ');
      for (; i < text.size() && text[i] == '.'; ++i) append(out, kDot);
      append(out, kMulti);
      out.push_back(' ');
      --i;
    } else if (c == ' ' || c == '.' || c == '\'' || c == '`' || c == ',' || c == '-' || is(c, kAlphanumeric)) {
      out.push_back(c);
    } else {
      out.push_back(' ');
      out.push_back(c);
      out.push_back(' ');
    }
  }
  scratch.swap();
}

void MosesTokenizer::split_hyphens(Scratch& scratch) const {
  const Text& text = scratch.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch.next.push_back(text[i]);
    if (i + 2 < text.size() && text[i + 1] == '-' && is(text[i], kAlphanumeric) && is(text[i + 2], kAlphanumeric)) {
      append(scratch.next, U" @-@ ");
      ++i;
    }
  }
  scratch.swap();
}

/// Spaces around commas that are not between numbers, in the three steps of the scripts.
void MosesTokenizer::split_commas(Scratch& scratch) const {
  {
    const Text& text = scratch.text;
    for (std::size_t i = 0; i < text.size(); ++i) {
      scratch.next.push_back(text[i]);
      if (!is(text[i], kNumeric) && i + 1 < text.size() && text[i + 1] == ',') {
        append(scratch.next, U" , ");
        ++i;
      }
    }
    scratch.swap();
  }
  {
    const Text& text = scratch.text;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ',' && i + 1 < text.size() && !is(text[i + 1], kNumeric)) {
        append(scratch.next, U" , ");
        ++i;
      }
      scratch.next.push_back(text[i]);
    }
    scratch.swap();
  }
  Text& text = scratch.text;
  if (text.size() > 1 && text.back() == ',' && is(text[text.size() - 2], kNumeric)) {
    text.back() = ' ';
    text.push_back(',');
  }
}

void MosesTokenizer::split_apostrophes(Scratch& scratch) const {
  switch (apostrophe_) {
    case MosesRules::Apostrophe::kEnglish:
      split_apostrophe(scratch, kAlphabetic, true, kAlphabetic, true, U" ' ");
      split_apostrophe(scratch, kAlphabetic | kNumeric, true, kAlphabetic, false, U" ' ");
      split_apostrophe(scratch, kAlphabetic, false, kAlphabetic, true, U" ' ");
      split_apostrophe(scratch, kAlphabetic, false, kAlphabetic, false, U" '");
      split_apostrophe(scratch, kNumeric, false, 0, false, U" '");
      return;
    case MosesRules::Apostrophe::kFrench:
      split_apostrophe(scratch, kAlphabetic, true, kAlphabetic, true, U" ' ");
      split_apostrophe(scratch, kAlphabetic, true, kAlphabetic, false, U" ' ");
      split_apostrophe(scratch, kAlphabetic, false, kAlphabetic, true, U" ' ");
      split_apostrophe(scratch, kAlphabetic, false, kAlphabetic, false, U"' ");
      return;
    case MosesRules::Apostrophe::kOther:
      for (char32_t c : scratch.text) {
        if (c == '\'') {
          append(scratch.next, U" ' ");
        } else {
          scratch.next.push_back(c);
        }
      }
      scratch.swap();
  }
}

/// One rule for an apostrophe between two characters of these kinds, or of any other kind where it says `without`; a
/// kind of 0 is the letter s. As in a substitution by a regular expression, the second character is used up.
void MosesTokenizer::split_apostrophe(Scratch& scratch, std::uint8_t left, bool without_left, std::uint8_t right,
                                      bool without_right, std::u32string_view between) const {
  const Text& text = scratch.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch.next.push_back(text[i]);
    if (i + 2 >= text.size() || text[i + 1] != '\'' || is(text[i], left) == without_left) continue;
    if (right == 0 ? text[i + 2] != 's' : is(text[i + 2], right) == without_right) continue;
    append(scratch.next, between);
    scratch.next.push_back(text[i + 2]);
    i += 2;
  }
  scratch.swap();
}

/// Whether a period belongs to the word before it; `next` is the word behind it, if there is one.
bool MosesTokenizer::keeps_period(std::u32string_view word, std::u32string_view next) const {
  const auto alphabetic = [&](char32_t c) { return is(c, kAlphabetic); };
  if (word.find(U'.') != word.npos && std::any_of(word.begin(), word.end(), alphabetic)) return true;
  if (!next.empty() && is(next[0], kLower)) return true;
  const std::u32string known(word);
  if (numeric_prefixes_.contains(known)) return !next.empty() && next[0] >= '0' && next[0] <= '9';
  return prefixes_.contains(known);
}

}  // namespace isogloss::text
