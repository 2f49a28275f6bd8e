// What goes into a search and comes out of it, in words.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/collector.hpp"
#include "search/derivation.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::bindings {

/// A sentence or lattice to translate.
struct SearchInput {
  std::vector<std::string> words;          ///< as the arcs number them
  std::size_t places = 1;
  std::vector<std::size_t> first_word{0};  ///< by place: how many words of the sentence lie before it
  std::vector<search::SourceArc> arcs;
  std::vector<search::FixedWord> fixed;
};

/// How words of a search read.
class Wording {
 public:
  Wording(const text::Vocabulary& source_words, const text::Vocabulary& target_words)
      : source_words_(source_words), target_words_(target_words) {}

  /// Unknown words are written so, with themselves in the place of `{word}`; empty: as they are.
  void mark_unknown(std::string mark) { unknown_mark_ = std::move(mark); }

  /// What a word of a candidate reads.
  std::string text(const SearchInput& input, WordId word) const;

  /// Equal for words that read the same.
  std::uint64_t reading(const SearchInput& input, WordId word) const;

  /// For each word a small number, equal for words that read the same; what they read is appended to `texts`.
  std::vector<std::uint32_t> numbers(const SearchInput& input, std::span<const WordId> words,
                                     std::vector<std::string>* texts = nullptr) const;

  /// A step of a derivation: origin, kind, source side, span, span of its own words, gaps, target span; in words of
  /// the source.
  nanobind::tuple step(const SearchInput& input, const search::DerivationStep& step) const;

 private:
  const text::Vocabulary& source_words_;
  const text::Vocabulary& target_words_;
  std::string unknown_mark_;
};

}  // namespace isogloss::bindings
