#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/collector.hpp"
#include "search/input.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::search {

/// How words of a search read.
class Wording {
 public:
  /// Unknown words are written as `unknown_mark`, with themselves in the place of `{word}`; empty: as they are.
  Wording(const Vocabulary& source_words, const Vocabulary& target_words, std::string unknown_mark = "")
      : source_words_(source_words), target_words_(target_words), unknown_mark_(std::move(unknown_mark)) {}

  const Vocabulary& source_words() const { return source_words_; }
  const Vocabulary& target_words() const { return target_words_; }

  /// What a word of a candidate reads.
  std::string text(const Input& input, WordId word) const;

  /// Equal for words that read the same.
  std::uint64_t reading(const Input& input, WordId word) const;

  /// For each word a small number, equal for words that read the same; what they read is appended to `texts`.
  std::vector<std::uint32_t> numbers(const Input& input, std::span<const WordId> words,
                                     std::vector<std::string>* texts = nullptr) const;

 private:
  const Vocabulary& source_words_;
  const Vocabulary& target_words_;
  std::string unknown_mark_;
};

}  // namespace isogloss::search
