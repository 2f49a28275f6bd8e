#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "search/joint_source.hpp"

namespace isogloss::search {

/// The last target words, as a joint model numbers them, the newest first; unused places are 0.
struct JointHistory {
  std::array<std::uint32_t, neural::kMostHistory> words{};

  JointHistory after(std::uint32_t word, std::size_t length) const {
    JointHistory next;
    next.words[0] = word;
    std::copy_n(words.begin(), length - 1, next.words.begin() + 1);
    return next;
  }
  std::uint64_t hash() const {
    std::uint64_t all = 0;
    for (std::uint32_t word : words) all = combine64(all, word);
    return all;
  }
  friend bool operator==(const JointHistory&, const JointHistory&) = default;
};

/// What a joint model says of one sentence: histories have numbers, and what was asked is remembered. One per thread;
/// the storage is used again by the next sentence.
class JointScores {
 public:
  static constexpr std::uint32_t kBeginning = 0;

  struct Scored {
    float log_prob;
    std::uint32_t next;  ///< the history after the word
  };

  /// Begins a sentence, which must outlive its scores.
  void begin(const JointSource& source);

  std::size_t length() const { return source_->model().shape().history; }
  std::uint32_t end_position() const { return static_cast<std::uint32_t>(source_->positions() - 1); }
  /// The history after at least `length()` words.
  std::uint32_t history_after(std::span<const std::uint32_t> words);

  /// A word that belongs to a source position, after a history.
  Scored score(std::uint32_t history, std::uint32_t position, std::uint32_t word) {
    const std::uint64_t key = mix64(std::uint64_t{history} << 32 | word) ^ position;
    Cell& cell = cells_[key & (kCells - 1)];
    if (cell.history != history || cell.word != word || cell.position != position)
      cell = {history, word, position, find(history, position, word)};
    return cell.scored;
  }

  /// The same without knowing what stands before.
  float estimate(std::uint32_t position, std::uint32_t word) { return score(nothing_, position, word).log_prob; }

 private:
  static constexpr std::size_t kCells = 16384;
  struct Cell {
    std::uint32_t history, word, position;
    Scored scored;
  };

  Scored find(std::uint32_t history, std::uint32_t position, std::uint32_t word);

  const JointSource* source_ = nullptr;
  Interner<JointHistory> histories_;
  std::uint32_t nothing_ = 0;
  std::vector<Cell> cells_;  // the newest of those that share a cell
};

}  // namespace isogloss::search
