// What sparse features remember of scores. What they answer does not depend on it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/large_pages.hpp"

namespace isogloss::features {

/// Scores of the rules of a table under one version of the weights, kept between sentences, for all threads.
class RuleMemory {
 public:
  explicit RuleMemory(std::size_t rules) : cells_(rules) {}

  bool find(std::uint32_t rule, std::uint32_t version, float& score) const {
    const std::uint64_t cell = cells_[rule].load(std::memory_order_relaxed);
    if (static_cast<std::uint32_t>(cell >> 32) != version) return false;
    score = std::bit_cast<float>(static_cast<std::uint32_t>(cell));
    return true;
  }
  void keep(std::uint32_t rule, std::uint32_t version, float score) {
    cells_[rule].store(std::uint64_t{version} << 32 | std::bit_cast<std::uint32_t>(score), std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<std::uint64_t>> cells_;  // version and score
};

/// Scores of events under one version of the weights; the newest of those that share a cell is remembered.
class EventMemory {
 public:
  explicit EventMemory(unsigned bits = 21) : cells_(std::size_t{1} << bits) {}

  bool find(std::uint64_t key, std::uint32_t version, float& score) const {
    const Cell& cell = cells_[key & (cells_.size() - 1)];
    score = cell.score;
    return cell.key == key && cell.version == version;
  }
  void keep(std::uint64_t key, std::uint32_t version, float score) {
    cells_[key & (cells_.size() - 1)] = {key, version, score};
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&cells_[key & (cells_.size() - 1)]); }

 private:
  struct Cell {
    std::uint64_t key = 0;
    std::uint32_t version = 0;
    float score = 0;
  };
  std::vector<Cell, LargePages<Cell>> cells_;
};

/// Exact, for one sentence at a time: a new one finds the table empty, but already as large as those before needed it.
template <class Value>
class SentenceMemory {
 public:
  void begin() {
    if (cells_.size() > kMostKept) cells_ = {};  // one long sentence must not hold memory for ever
    used_ = 0;
    if (++sentence_ != 0) return;
    cells_ = {};
    sentence_ = 1;
  }

  /// The place of a value, and whether it was there before. Valid until the next call.
  Value* find(std::uint64_t key, bool& known) {
    if (used_ * 2 >= cells_.size()) grow();
    Cell& cell = cells_[place(key)];
    known = cell.sentence == sentence_;
    if (!known) {
      cell.key = key;
      cell.sentence = sentence_;
      ++used_;
    }
    return &cell.value;
  }

 private:
  static constexpr std::size_t kFewest = std::size_t{1} << 12, kMostKept = std::size_t{1} << 18;

  struct Cell {
    std::uint64_t key = 0;
    std::uint32_t sentence = 0;
    Value value{};
  };

  std::size_t place(std::uint64_t key) const {
    std::size_t at = mix64(key) & (cells_.size() - 1);
    while (cells_[at].sentence == sentence_ && cells_[at].key != key) at = (at + 1) & (cells_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Cell, LargePages<Cell>> old(cells_.empty() ? kFewest : cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old)
      if (cell.sentence == sentence_) cells_[place(cell.key)] = cell;
  }

  std::vector<Cell, LargePages<Cell>> cells_;
  std::size_t used_ = 0;
  std::uint32_t sentence_ = 1;
};

/// What one option after a state adds, and the state behind it.
struct Crossing {
  float score = 0;
  std::uint32_t after = 0;
};

/// What one thread remembers, some of it between sentences.
struct ThreadScores {
  EventMemory events;
  SentenceMemory<float> whole_steps, steps, unaligned;
  SentenceMemory<Crossing> crossings;

  void begin_sentence() {
    whole_steps.begin();
    steps.begin();
    unaligned.begin();
    crossings.begin();
  }
};

}  // namespace isogloss::features
