#include <charconv>
#include <string>

#include "align/links.hpp"
#include "base/error.hpp"
#include "text/quoted.hpp"
#include "text/split.hpp"

namespace isogloss::align {
namespace {

class LineParser {
 public:
  LineParser(std::string_view line, std::uint64_t number) : tokens_(line), number_(number) {}

  bool next(Link& link) {
    const std::string_view point = tokens_.next();
    if (point.empty()) return false;
    const auto [dash, error] = std::from_chars(point.data(), point.data() + point.size(), link.source);
    const char* last = point.data() + point.size();
    if (error != std::errc() || dash == last || *dash != '-') fail(point);
    const auto [rest, other] = std::from_chars(dash + 1, last, link.target);
    if (other != std::errc() || rest != last) fail(point);
    return true;
  }

  void check(const Link& link, std::int64_t source_length, std::int64_t target_length) const {
    const auto outside = [&](const char* side, std::uint32_t position, std::int64_t length) {
      throw LineError("point '" + std::to_string(link.source) + "-" + std::to_string(link.target) +
                          "' is outside the " + side + " sentence of " + std::to_string(length) + " words",
                      number_,
                      "positions count from 0, source first: is " + std::to_string(position) +
                          " meant for another sentence, or for the other side?");
    };
    if (link.source >= source_length) outside("source", link.source, source_length);
    if (link.target >= target_length) outside("target", link.target, target_length);
  }

 private:
  [[noreturn]] void fail(std::string_view point) const {
    throw LineError(text::quoted(point) + " is not an alignment point", number_,
                    "write points as i-j, source position first, counted from 0, such as 0-0 1-2");
  }

  text::Tokens tokens_;
  std::uint64_t number_;
};

}  // namespace

void parse_pharaoh(std::string_view text, std::uint64_t first_line,
                   const std::optional<SentenceLengths>& lengths, Buffer<Link>& links,
                   Buffer<std::int64_t>& offsets) {
  for (std::size_t line = 0; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    LineParser parser(text.substr(0, end), first_line + line);
    if (lengths && line >= std::min(lengths->source.size(), lengths->target.size()))
      throw LineError("more lines than sentence pairs", first_line + line,
                      "give one line of points for each sentence pair");
    for (Link link; parser.next(link);) {
      if (lengths) parser.check(link, lengths->source[line], lengths->target[line]);
      links.push_back(link);
    }
    offsets.push_back(static_cast<std::int64_t>(links.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void format_pharaoh(std::span<const Link> links, std::span<const std::int64_t> offsets, Buffer<char>& text) {
  const auto append_number = [&](std::uint32_t number) {
    char digits[12];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    static_cast<void>(error);
    text.append(digits, static_cast<std::size_t>(end - digits));
  };
  for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
    const auto begin = static_cast<std::size_t>(offsets[line]);
    const auto end = static_cast<std::size_t>(offsets[line + 1]);
    for (std::size_t at = begin; at < end; ++at) {
      if (at > begin) text.push_back(' ');
      append_number(links[at].source);
      text.push_back('-');
      append_number(links[at].target);
    }
    text.push_back('\n');
  }
}

}  // namespace isogloss::align
