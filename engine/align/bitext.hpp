#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/word.hpp"

namespace isogloss::align {

/// Sentence pairs as word numbers: all words of a side consecutively, and the offset of each sentence
/// (one more than sentences). A view: the arrays belong to the caller.
struct Bitext {
  std::span<const WordId> source;
  std::span<const std::int64_t> source_offsets;
  std::span<const WordId> target;
  std::span<const std::int64_t> target_offsets;

  std::size_t pairs() const { return source_offsets.size() - 1; }
  std::span<const WordId> source_words(std::size_t pair) const {
    return words(source, source_offsets, pair);
  }
  std::span<const WordId> target_words(std::size_t pair) const {
    return words(target, target_offsets, pair);
  }

  /// Whether a pair takes part: neither side empty, neither longer than `max_length` words.
  bool usable(std::size_t pair, std::size_t max_length) const {
    const std::size_t rows = source_words(pair).size(), columns = target_words(pair).size();
    return rows > 0 && columns > 0 && rows <= max_length && columns <= max_length;
  }

  /// Throws std::invalid_argument unless both sides have the same number of sentences and all offsets rise
  /// from 0 to the number of words.
  void check() const;

 private:
  static std::span<const WordId> words(std::span<const WordId> all, std::span<const std::int64_t> offsets,
                                       std::size_t pair) {
    return all.subspan(static_cast<std::size_t>(offsets[pair]),
                       static_cast<std::size_t>(offsets[pair + 1] - offsets[pair]));
  }
};

}  // namespace isogloss::align
