#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.hpp"
#include "text/split.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::grammar {

/// A link between a source and a target word, both counted from 0.
struct WordLink {
  std::uint16_t source;
  std::uint16_t target;
  friend bool operator==(const WordLink&, const WordLink&) = default;
};

/// A sentence pair with its word alignment: links ordered by (target, source), none twice, none outside.
struct AlignedSentences {
  std::span<const WordId> source;
  std::span<const WordId> target;
  std::span<const WordLink> links;
};

/// Sentence pairs read from text: words between whitespace, links as "source-target source-target ...".
class AlignedText {
 public:
  /// Longest sentence that links can address.
  static constexpr std::size_t kLongest = 65535;

  /// Takes the next lines, without their ends. Pairs with more than `longest` words on a side are checked
  /// but not kept, their words are not numbered. Throws LineError, with `line`, about the links.
  void add(std::string_view source, std::string_view target, std::string_view links, std::uint64_t line,
           std::size_t longest, text::Vocabulary& source_words, text::Vocabulary& target_words);

  std::size_t size() const { return pairs_.size(); }
  AlignedSentences operator[](std::size_t i) const;
  std::uint64_t skipped() const { return skipped_; }
  void clear();

 private:
  struct Begins {
    std::size_t source, target, link;
  };

  Buffer<Begins> pairs_;  // where each pair begins in the three below
  Buffer<WordId> source_, target_;
  Buffer<WordLink> links_;
  std::uint64_t skipped_ = 0;
};

/// Calls `take(word)` for every word of a line.
template <class Take>
void for_each_word(std::string_view line, Take&& take) {
  text::Tokens tokens(line);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) take(word);
}

}  // namespace isogloss::grammar
