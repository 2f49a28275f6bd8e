#pragma once

#include <cstdint>
#include <string_view>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/word.hpp"

namespace isogloss::text {

/// Words numbered from 0 in the order of their first appearance.
///
/// Strings lie consecutively in one block of bytes, so the whole is two flat arrays on disk. Many
/// readers or one writer.
class Vocabulary {
 public:
  Vocabulary();

  /// Rebuilds from `bytes()` and `offsets()`. Throws std::invalid_argument if the offsets do not rise from
  /// 0 to the number of bytes, if a word occurs twice or is not valid UTF-8.
  Vocabulary(std::string_view bytes, const std::uint64_t* offsets, std::size_t words);

  /// The word's number, given to it now if it is new. Throws std::length_error past 2^32 - 2 words.
  WordId add(std::string_view word);

  /// The word's number, or kNoWord.
  WordId find(std::string_view word) const;

  /// The word itself; `id` must be below `size()`. Valid until the next `add`.
  std::string_view word(WordId id) const {
    return {bytes_.data() + offsets_[id], static_cast<std::size_t>(offsets_[id + 1] - offsets_[id])};
  }

  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

  /// `size() + 1` positions in `bytes()`; word i lies between the i-th and the next.
  const Buffer<std::uint64_t>& offsets() const { return offsets_; }

 private:
  static_assert(kNoWord == Index::kNone);

  Buffer<char> bytes_;
  Buffer<std::uint64_t> offsets_;
  Index index_;
};

}  // namespace isogloss::text
