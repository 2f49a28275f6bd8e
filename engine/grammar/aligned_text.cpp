#include "grammar/aligned_text.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "text/quoted.hpp"

namespace isogloss::grammar {
namespace {

std::size_t count_words(std::string_view line) {
  std::size_t words = 0;
  for_each_word(line, [&](std::string_view) { ++words; });
  return words;
}

struct Point {
  std::uint64_t source, target;
};

Point parse_point(std::string_view text, std::size_t source_length, std::size_t target_length,
                  std::uint64_t line) {
  const std::size_t dash = text.find('-');
  const auto source = parse_unsigned(text.substr(0, dash));
  const auto target = dash == text.npos ? std::nullopt : parse_unsigned(text.substr(dash + 1));
  if (!source || !target)
    throw LineError(text::quoted(text) + " is not a link", line,
                    "write links as source-target word positions counted from 0, such as 0-0 1-2");
  if (*source >= source_length || *target >= target_length)
    throw LineError("the link " + std::string(text) + " points outside the sentence pair of " +
                        std::to_string(source_length) + " source and " + std::to_string(target_length) +
                        " target words",
                    line, "positions count from 0; are source and target swapped, or is a line missing?");
  return {*source, *target};
}

}  // namespace

void AlignedText::add(std::string_view source, std::string_view target, std::string_view links,
                      std::uint64_t line, std::size_t longest, text::Vocabulary& source_words,
                      text::Vocabulary& target_words) {
  const std::size_t source_length = count_words(source), target_length = count_words(target);
  const bool kept = std::max(source_length, target_length) <= std::min(longest, kLongest);
  const std::size_t first_link = links_.size();
  for_each_word(links, [&](std::string_view text) {
    const Point point = parse_point(text, source_length, target_length, line);
    if (kept)
      links_.push_back({static_cast<std::uint16_t>(point.source), static_cast<std::uint16_t>(point.target)});
  });
  if (!kept) {
    ++skipped_;
    return;
  }
  WordLink* const begin = links_.data() + first_link;
  WordLink* const end = links_.data() + links_.size();
  std::sort(begin, end, [](const WordLink& a, const WordLink& b) {
    return std::tie(a.target, a.source) < std::tie(b.target, b.source);
  });
  links_.resize(static_cast<std::size_t>(std::unique(begin, end) - links_.data()));
  pairs_.push_back({source_.size(), target_.size(), first_link});
  for_each_word(source, [&](std::string_view word) { source_.push_back(source_words.add(word)); });
  for_each_word(target, [&](std::string_view word) { target_.push_back(target_words.add(word)); });
}

AlignedSentences AlignedText::operator[](std::size_t i) const {
  const Begins begin = pairs_[i];
  const Begins end =
      i + 1 < pairs_.size() ? pairs_[i + 1] : Begins{source_.size(), target_.size(), links_.size()};
  return {{source_.data() + begin.source, end.source - begin.source},
          {target_.data() + begin.target, end.target - begin.target},
          {links_.data() + begin.link, end.link - begin.link}};
}

void AlignedText::clear() {
  pairs_.clear();
  source_.clear();
  target_.clear();
  links_.clear();
  skipped_ = 0;
}

}  // namespace isogloss::grammar
