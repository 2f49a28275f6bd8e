#include "classes/bigrams.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/hash.hpp"

namespace isogloss::classes {
namespace {

constexpr WordId kBoundary = kNoWord;
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;

std::uint64_t hash(WordId left, WordId right) { return mix64(std::uint64_t{left} << 32 | right); }

}  // namespace

void BigramCounter::add(std::span<const WordId> ids, std::span<const std::int64_t> offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > static_cast<std::int64_t>(ids.size()))
      throw std::invalid_argument("bigrams: offset " + std::to_string(i) + " is out of order");
  if (std::find(ids.begin(), ids.end(), kNoWord) != ids.end())
    throw std::invalid_argument("bigrams: an id is not a word");
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

void BigramCounter::add_pairs(std::span<const WordId> left, std::span<const WordId> right,
                              std::span<const std::uint32_t> counts) {
  if (left.size() != right.size() || left.size() != counts.size())
    throw std::invalid_argument("bigrams: a pair has two words and a count");
  std::uint64_t more = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (left[i] == kBoundary && right[i] == kBoundary)
      throw std::invalid_argument("bigrams: a pair has no word");
    more += counts[i];
  }
  if (total_ + more > kMostPairs) throw std::length_error("bigrams: more than 2^31 words");
  total_ += more;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count_pair(left[i], right[i], counts[i]);
    if (right[i] == kBoundary) {
      sentences_ += counts[i];
      continue;
    }
    if (right[i] >= counts_.size()) counts_.resize(std::size_t{right[i]} + 1);
    counts_[right[i]] += counts[i];
  }
}

void BigramCounter::count_pair(WordId left, WordId right, std::uint32_t count) {
  const std::uint32_t pair = index_.find_or_add(
      hash(left, right),
      [&](std::uint32_t other) { return pairs_[other].left == left && pairs_[other].right == right; },
      [&](std::uint32_t other) { return hash(pairs_[other].left, pairs_[other].right); },
      [&] { pairs_.push_back({left, right, 0}); });
  pairs_[pair].count += count;
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
    const auto self = [&](const Pair& pair) { return unit(after ? pair.left : pair.right); };
    const auto other = [&](const Pair& pair) { return unit(after ? pair.right : pair.left); };
    // Offsets end up one place early while entries are dealt out, so that no second array is needed.
    side.offsets.assign(std::size_t{units} + 3, 0);
    for (const Pair& pair : pairs_) ++side.offsets[self(pair) + 2];
    for (std::size_t i = 2; i < side.offsets.size(); ++i) side.offsets[i] += side.offsets[i - 1];
    side.entries.resize(pairs_.size());
    for (const Pair& pair : pairs_) side.entries[side.offsets[self(pair) + 1]++] = {other(pair), pair.count};
    side.offsets.pop_back();
  }
  return result;
}

}  // namespace isogloss::classes
