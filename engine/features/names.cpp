#include "features/names.hpp"

#include <algorithm>
#include <stdexcept>

#include "features/forms.hpp"

namespace isogloss::features {
namespace {

constexpr std::string_view kSpecial = "\\|#()_+@=~:";

void append_escaped(std::string& out, std::string_view text, std::string_view special) {
  for (char c : text) {
    if (c == '\t' || c == '\n' || c == '\r') {
      out.push_back('\\');
      out.push_back(c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
      continue;
    }
    if (special.find(c) != special.npos) out.push_back('\\');
    out.push_back(c);
  }
}

// A part of a name with its escapes taken away, and where unescaped special characters stand.
struct Part {
  std::string text;
  std::string marks;  // the unescaped special characters, in order
  bool mark_first = false, mark_last = false;
  bool escaped_first = false;
};

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  std::uint64_t feature() {
    const std::size_t colon = name_.find(':');
    if (colon == name_.npos || colon == 0) fail("a template's name and ':' are expected");
    std::uint64_t number = begin_feature(name_.substr(0, colon));
    at_ = colon + 1;
    std::size_t positions = 0;
    do {
      number = extend_feature(number, position());
      ++positions;
    } while (take('|'));
    if (at_ != name_.size() || positions > 4) fail("it has too many parts");
    return number;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument("'" + std::string(name_.substr(0, 80)) + "' is not the name of a sparse feature: " + why);
  }
  bool take(char c) {
    if (at_ >= name_.size() || name_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::uint64_t position() {
    if (take('#')) return literal_hash(part("|").text);
    if (!take('(')) return form("|");
    std::uint64_t phrase = begin_phrase();
    do phrase = extend_phrase(phrase, take('~') ? kGapHash : form("_)")); while (take('_'));
    if (!take(')')) fail("a ')' is missing");
    return phrase;
  }

  Part part(std::string_view stops) {
    Part out;
    const std::size_t begin = at_;
    for (; at_ < name_.size() && stops.find(name_[at_]) == stops.npos; ++at_) {
      char c = name_[at_];
      out.mark_last = false;
      if (c == '\\') {
        out.escaped_first |= at_ == begin;
        if (++at_ == name_.size()) fail("it ends in a backslash");
        c = name_[at_];
        c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
      } else if (c == '+' || c == '@' || c == '=') {
        out.marks.push_back(c);
        out.mark_last = true;
        out.mark_first |= at_ == begin;
      }
      out.text.push_back(c);
    }
    return out;
  }

  std::uint64_t form(std::string_view stops) {
    const Part found = part(stops);
    if (found.text.empty() || (found.text.size() == 1 && found.marks == "+")) fail("a word is missing");
    if (found.marks.empty())
      return is_spelled_as_boundary(found.text) && !found.escaped_first ? form_hash(kSurface, found.text)
                                                                        : word_hash(found.text);
    if (found.marks == "+" && found.mark_last) return form_hash(kPrefix, found.text.substr(0, found.text.size() - 1));
    if (found.marks == "+" && found.mark_first) return form_hash(kSuffix, found.text.substr(1));
    if (found.marks.find_first_not_of('@') == found.marks.npos) return form_hash(kDigits, found.text);
    const std::size_t equals = found.text.find('=');
    if (found.marks != "=" || equals == 0) fail("it mixes '+', '@' and '='");
    if (found.mark_last) fail("a value is missing");
    return form_hash(found.text.substr(0, equals), found.text.substr(equals + 1));
  }

  std::string_view name_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_column_name(std::string_view name) {
  if (name.empty() || name == kSurface || name == kPrefix || name == kSuffix || name == kDigits) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string describe_form(std::string_view type, std::string_view text) {
  std::string out;
  if (type == kDigits) {
    append_escaped(out, text, "\\|#()_+=~:");
    return out;
  }
  if (type == kSurface && is_spelled_as_boundary(text)) out.push_back('\\');
  if (type == kSuffix) out.push_back('+');
  if (type != kSurface && type != kPrefix && type != kSuffix) {
    append_escaped(out, type, "\\_");
    out.push_back('=');
  }
  append_escaped(out, text, kSpecial);
  if (type == kPrefix) out.push_back('+');
  return out;
}

std::string describe_literal(std::string_view text) {
  std::string out = "#";
  append_escaped(out, text, "\\|");
  return out;
}

std::uint64_t parse_feature(std::string_view name) { return Reader(name).feature(); }

}  // namespace isogloss::features
