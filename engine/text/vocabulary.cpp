#include "text/vocabulary.hpp"

#include <stdexcept>
#include <string>

#include "base/hash.hpp"
#include "text/utf8.hpp"

namespace isogloss {
namespace {

constexpr std::size_t kFirstSlots = 1024;

std::uint32_t fragment(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

Vocabulary::Vocabulary() : table_(kFirstSlots, Slot{0, kNoWord}) { offsets_.push_back(0); }

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
      throw std::invalid_argument("vocabulary: word " + std::to_string(i) + " stands twice");
  }
}

std::size_t Vocabulary::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (;; slot = (slot + 1) & mask) {
    const Slot& entry = table_[slot];
    if (entry.id == kNoWord || (entry.hash == fragment(hash) && word(entry.id) == text)) return slot;
  }
}

WordId Vocabulary::add(std::string_view text) {
  const std::uint64_t hash = hash64(text);
  std::size_t slot = slot_of(text, hash);
  if (table_[slot].id != kNoWord) return table_[slot].id;
  if (size() >= kNoWord - 1) throw std::length_error("vocabulary: more than 2^32 - 2 words");
  const WordId id = static_cast<WordId>(size());
  bytes_.append(text.data(), text.size());
  offsets_.push_back(bytes_.size());
  table_[slot] = {fragment(hash), id};
  if (size() * 2 > table_.size()) rehash(table_.size() * 2);
  return id;
}

WordId Vocabulary::find(std::string_view text) const { return table_[slot_of(text, hash64(text))].id; }

void Vocabulary::rehash(std::size_t slots) {
  table_.assign(slots, Slot{0, kNoWord});
  for (WordId id = 0; id < size(); ++id) {
    const std::uint64_t hash = hash64(word(id));
    std::size_t slot = hash & (slots - 1);
    while (table_[slot].id != kNoWord) slot = (slot + 1) & (slots - 1);
    table_[slot] = {fragment(hash), id};
  }
}

}  // namespace isogloss
