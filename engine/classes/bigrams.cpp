#include "classes/bigrams.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/hash.hpp"

namespace isogloss {
namespace {

constexpr WordId kBoundary = kNoWord;
constexpr std::uint64_t kFree = ~std::uint64_t{0};  // boundary after boundary, which never occurs
constexpr std::size_t kFirstSlots = 1 << 12;
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;

std::uint64_t key_of(WordId left, WordId right) { return (std::uint64_t{left} << 32) | right; }
WordId left_of(std::uint64_t key) { return static_cast<WordId>(key >> 32); }
WordId right_of(std::uint64_t key) { return static_cast<WordId>(key); }


}  // namespace

BigramCounter::BigramCounter() : table_(kFirstSlots, Slot{kFree, 0}) {}

void BigramCounter::add(std::span<const WordId> ids, std::span<const std::int64_t> offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > static_cast<std::int64_t>(ids.size()))
      throw std::invalid_argument("bigrams: offset " + std::to_string(i) + " is out of order");
  if (std::find(ids.begin(), ids.end(), kNoWord) != ids.end())
    throw std::invalid_argument("bigrams: an id stands for no word");
  if (total_ + ids.size() + offsets.size() > kMostPairs)
    throw std::length_error("bigrams: more than 2^31 words");
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] == offsets[i + 1]) continue;
    WordId left = kBoundary;
    for (std::int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      const WordId word = ids[static_cast<std::size_t>(k)];
      if (word >= counts_.size()) counts_.resize(std::size_t{word} + 1);
      ++counts_[word];
      count_pair(left, word);
      left = word;
    }
    count_pair(left, kBoundary);
    ++sentences_;
    total_ += static_cast<std::uint64_t>(offsets[i + 1] - offsets[i]) + 1;
  }
}

void BigramCounter::count_pair(WordId left, WordId right) {
  const std::uint64_t key = key_of(left, right);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = mix64(key) & mask;
  while (table_[slot].key != key && table_[slot].key != kFree) slot = (slot + 1) & mask;
  if (table_[slot].key == kFree) {
    table_[slot] = {key, 1};
    if (++used_ * 3 > table_.size() * 2) grow();
  } else {
    ++table_[slot].count;
  }
}

void BigramCounter::grow() {
  std::vector<Slot> larger(table_.size() * 2, Slot{kFree, 0});
  const std::size_t mask = larger.size() - 1;
  for (const Slot& entry : table_) {
    if (entry.key == kFree) continue;
    std::size_t slot = mix64(entry.key) & mask;
    while (larger[slot].key != kFree) slot = (slot + 1) & mask;
    larger[slot] = entry;
  }
  table_.swap(larger);
}

UnitBigrams BigramCounter::units(std::span<const std::uint32_t> unit_of, std::uint32_t units) const {
  if (unit_of.size() < counts_.size()) throw std::invalid_argument("bigrams: a word has no unit");
  for (std::uint32_t unit : unit_of)
    if (unit >= units) throw std::invalid_argument("bigrams: unit " + std::to_string(unit) + " is too large");
  UnitBigrams result;
  result.total = total_;
  result.counts.assign(std::size_t{units} + 1, 0);
  for (std::size_t word = 0; word < counts_.size(); ++word) result.counts[unit_of[word]] += counts_[word];
  result.counts[units] = sentences_;

  const auto unit = [&](WordId word) { return word == kBoundary ? units : unit_of[word]; };
  for (const bool after : {true, false}) {
    Neighbors& side = after ? result.after : result.before;
    const auto self = [&](std::uint64_t key) { return unit(after ? left_of(key) : right_of(key)); };
    const auto other = [&](std::uint64_t key) { return unit(after ? right_of(key) : left_of(key)); };
    // Offsets end up one place early while entries are dealt out, so that no second array is needed.
    side.offsets.assign(std::size_t{units} + 3, 0);
    for (const Slot& entry : table_)
      if (entry.key != kFree) ++side.offsets[self(entry.key) + 2];
    for (std::size_t i = 2; i < side.offsets.size(); ++i) side.offsets[i] += side.offsets[i - 1];
    side.entries.resize(used_);
    for (const Slot& entry : table_)
      if (entry.key != kFree)
        side.entries[side.offsets[self(entry.key) + 1]++] = {other(entry.key), entry.count};
    side.offsets.pop_back();
  }
  return result;
}

}  // namespace isogloss
