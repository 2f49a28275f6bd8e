// Keys of n-grams. Part of the stored form: these functions must never change their results.
#pragma once

#include <cstdint>

#include "base/word.hpp"

namespace isogloss::lm {

/// The longest n-gram a model may hold.
inline constexpr unsigned kMaxOrder = 7;

/// The key of no words at all; `extend_left` gives those of all others.
inline constexpr std::uint64_t kNoWords = 0x2545f4914f6cdd1dULL;

/// The key of the n-gram that has `word` before the words of `key`. Going left is what a query does, since
/// the word to be scored stands on the right: w, then v w, then u v w. Short on the path from one key to
/// the next, because each must be known before its table can be read.
constexpr std::uint64_t extend_left(std::uint64_t key, WordId word) {
  key = (key + (std::uint64_t{word} + 1) * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
  return key ^ (key >> 32);
}

/// `words` from left to right.
constexpr std::uint64_t ngram_key(const WordId* words, unsigned order) {
  std::uint64_t key = kNoWords;
  for (unsigned i = order; i-- > 0;) key = extend_left(key, words[i]);
  return key;
}

}  // namespace isogloss::lm
