#include "text/vocabulary.hpp"

#include <stdexcept>
#include <string>

#include "base/hash.hpp"
#include "text/utf8.hpp"

namespace isogloss::text {

Vocabulary::Vocabulary() { offsets_.push_back(0); }

Vocabulary::Vocabulary(std::string_view bytes, const std::uint64_t* offsets, std::size_t words) : Vocabulary() {
  if (offsets[0] != 0 || offsets[words] != bytes.size())
    throw std::invalid_argument("vocabulary: offsets do not span the words");
  for (std::size_t i = 0; i < words; ++i) {
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] > bytes.size())
      throw std::invalid_argument("vocabulary: offset " + std::to_string(i + 1) + " is out of order");
    const std::string_view text = bytes.substr(offsets[i], offsets[i + 1] - offsets[i]);
    if (!is_utf8(text))
      throw std::invalid_argument("vocabulary: word " + std::to_string(i) + " is not valid UTF-8");
    if (add(text) != i)
      throw std::invalid_argument("vocabulary: word " + std::to_string(i) + " occurs twice");
  }
}

WordId Vocabulary::add(std::string_view text) {
  return index_.find_or_add(
      hash64(text), [&](WordId id) { return word(id) == text; }, [&](WordId id) { return hash64(word(id)); },
      [&] {
        if (size() >= kNoWord - 1) throw std::length_error("vocabulary: more than 2^32 - 2 words");
        bytes_.append(text.data(), text.size());
        offsets_.push_back(bytes_.size());
      });
}

WordId Vocabulary::find(std::string_view text) const {
  return index_.find(hash64(text), [&](WordId id) { return word(id) == text; });
}

}  // namespace isogloss::text
