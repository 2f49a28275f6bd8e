#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/hash.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::nbest {

/// The words that were looked up last, close at hand. The candidates of a sentence share most of their words,
/// while the vocabulary of a large list is too large for the processor's nearest cache.
class RecentWords {
 public:
  /// The word's number in `vocabulary`, given to it now if it is new. One object serves one vocabulary.
  WordId add(std::string_view word, text::Vocabulary& vocabulary) {
    if (word.size() > 16) return vocabulary.add(word);
    const std::size_t first_size = word.size() < 8 ? word.size() : 8;
    const std::uint64_t first = little_endian(word.data(), first_size);
    const std::uint64_t rest = little_endian(word.data() + first_size, word.size() - first_size);
    const std::uint64_t spread = (first ^ rest * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
    Entry& entry = entries_[spread >> (64 - kBits)];
    if (entry.id == kNoWord || entry.first != first || entry.rest != rest || entry.size != word.size())
      entry = {first, rest, static_cast<std::uint32_t>(word.size()), vocabulary.add(word)};
    return entry.id;
  }

 private:
  static constexpr int kBits = 10;

  struct Entry {
    std::uint64_t first = 0, rest = 0;  // the bytes of the word, padded with zeros
    std::uint32_t size = 0;
    WordId id = kNoWord;
  };

  std::array<Entry, std::size_t{1} << kBits> entries_;
};

}  // namespace isogloss::nbest
