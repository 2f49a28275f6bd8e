#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace isogloss {

/// Finds things by their keys: an open-addressing hash table from keys to dense numbers.
///
/// Keys get the numbers 0, 1, 2 … in the order in which they are added. The keys themselves, and all that belongs to
/// them, stay with the caller in arrays by number; where one value is all there is, use an Interner.
///
///     const auto hash_of = [&](auto n) { return hash64(words[n]); };
///     const auto number = index.find_or_add(hash64(word), [&](auto n) { return words[n] == word; }, hash_of,
///                                           [&] { words.push_back(word); counts.push_back(0); });
///
/// A slot is four bytes. The number takes as many of their bits as the number of slots has; the others are bits of the
/// hash, so that hardly a key is compared in vain. At most half of the slots are taken. Many readers or one writer.
class Index {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = 0xffffffffu;

  /// The number for which `equal(number)` is true among the keys with this hash, or kNone. The upper bits of a hash
  /// choose the slot, so they must be well spread.
  template <class Equal>
  Number find(std::uint64_t hash, Equal&& equal) const {
    if (slots_.empty()) return kNone;
    const Number found = slots_[slot_of(hash, equal)];
    return found == kNone ? kNone : found & mask();
  }

  /// The same; a key that is not there gets the number `size()`. Then `add()` is called once, for the caller to put the
  /// key into its arrays; if that throws, the key is not there. `hash_of(number)` is the hash of a key that is there.
  /// Throws std::length_error past 2^32 - 1 keys.
  template <class Equal, class HashOf, class Add>
  Number find_or_add(std::uint64_t hash, Equal&& equal, HashOf&& hash_of, Add&& add) {
    if (2 * size_ >= slots_.size()) grow(hash_of);
    const std::size_t at = slot_of(hash, equal);
    if (slots_[at] != kNone) return slots_[at] & mask();
    if (size_ == kNone) throw std::length_error("an index holds at most 2^32 - 1 keys");
    add();
    slots_[at] = entry(hash, static_cast<Number>(size_));
    return static_cast<Number>(size_++);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.size() * sizeof slots_[0]; }

  /// Forgets all keys, but keeps the slots.
  void clear() { set_slots(slots_.size()); }

  /// Forgets all keys, and has as few slots as this many keys need.
  void reset(std::size_t keys) { set_slots(std::bit_ceil(std::max(2 * keys, kFirstSlots))); }

 private:
  static constexpr std::size_t kFirstSlots = 256;

  Number mask() const { return static_cast<Number>(slots_.size() - 1); }
  std::size_t home(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }
  std::size_t after(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  Number entry(std::uint64_t hash, Number number) const { return (static_cast<Number>(hash) & ~mask()) | number; }

  /// Where the key is or belongs.
  template <class Equal>
  std::size_t slot_of(std::uint64_t hash, Equal&& equal) const {
    const Number tag = entry(hash, 0);
    for (std::size_t at = home(hash);; at = after(at)) {
      const Number slot = slots_[at];
      if (slot == kNone || ((slot & ~mask()) == tag && equal(slot & mask()))) return at;
    }
  }

  void set_slots(std::size_t count) {
    slots_.assign(count, kNone);
    shift_ = 64 - static_cast<unsigned>(std::bit_width(count - 1));
    size_ = 0;
  }

  template <class HashOf>
  void grow(HashOf&& hash_of) {
    Index larger;
    larger.set_slots(slots_.empty() ? kFirstSlots : 2 * slots_.size());
    for (Number number = 0; number < size_; ++number) {
      const std::uint64_t hash = hash_of(number);
      std::size_t at = larger.home(hash);
      while (larger.slots_[at] != kNone) at = larger.after(at);
      larger.slots_[at] = larger.entry(hash, number);
    }
    larger.size_ = size_;
    *this = std::move(larger);
  }

  std::vector<Number> slots_;  // a power of two
  unsigned shift_ = 63;
  std::size_t size_ = 0;
};

}  // namespace isogloss
