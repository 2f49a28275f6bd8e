#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/bitext.hpp"
#include "base/buffer.hpp"

namespace isogloss::align {

/// Which words stand in the same sentence pair: the word pairs that a lexical table can have entries for.
///
/// For each source word its target words in ascending order. Built a few rows at a time so that the caller
/// can show progress and stop. Nothing depends on the number of threads.
class Cooccurrence {
 public:
  static constexpr std::uint32_t kNoEntry = 0xffffffffu;
  static constexpr std::size_t kLevels = 64;

  /// `bitext` must outlive this. Pairs that are not usable are left out. Throws std::invalid_argument if a
  /// word number is not below `source_words` or `target_words`.
  Cooccurrence(const Bitext& bitext, std::size_t source_words, std::size_t target_words,
               std::size_t max_length);

  /// Words times words, summed over all usable pairs.
  std::uint64_t cells() const { return cells_; }

  /// Counts how many entries each choice of `rare` would give, some `work` cells further; true when through.
  bool survey(std::uint64_t work, std::size_t threads);

  /// After a complete survey: entries of level 0 are seen together more than once; those of level l were
  /// seen together once, and the less frequent of the two words occurs less than 2^l times (l >= 1).
  const std::array<std::uint64_t, kLevels>& levels() const { return levels_; }

  /// Keeps only entries up to this level. To be called before `build`.
  void limit_level(std::size_t level) { level_ = level; }

  /// Whether `build` also keeps the entry of every cell, 4 bytes each; otherwise they are looked up.
  void keep_cells(bool keep) { keeping_ = keep; }
  bool keeps_cells() const { return keeping_; }

  /// Makes rows, some `work` cells further; true when complete. Throws std::length_error at 2^32 - 1 entries.
  bool build(std::uint64_t work, std::size_t threads);

  /// Takes what another table of the same pairs has built, instead of building it. Throws
  /// std::invalid_argument unless the sizes fit and all numbers are within them.
  void restore(std::span<const std::uint64_t> row_offsets, std::span<const WordId> columns,
               std::span<const std::uint32_t> cells);
  std::span<const std::uint32_t> cell_entries() const { return {cell_entries_.data(), cell_entries_.size()}; }

  const Bitext& bitext() const { return bitext_; }
  std::size_t max_length() const { return max_length_; }
  std::size_t source_words() const { return source_frequency_.size(); }
  std::size_t target_words() const { return target_frequency_.size(); }
  std::span<const std::uint64_t> row_offsets() const { return {row_offsets_.data(), row_offsets_.size()}; }
  std::span<const WordId> columns() const { return {columns_.data(), columns_.size()}; }
  std::span<const std::uint32_t> source_frequency() const { return source_frequency_; }
  std::span<const std::uint32_t> target_frequency() const { return target_frequency_; }

  /// Number of cells in all usable pairs before `pair`.
  std::uint64_t first_cell(std::size_t pair) const { return first_cell_[pair]; }

  /// Entry of each cell of the pair, row by row (a row per source position); kNoEntry where the word pair
  /// was left out. Unless cells are kept, they are looked up and written to `scratch`.
  const std::uint32_t* entries(std::size_t pair, std::uint32_t* scratch) const;

 private:
  struct Occurrence {
    std::uint32_t pair;
    std::uint32_t position;
  };
  struct Rows {
    WordId begin, end;
  };
  struct Scratch;

  std::vector<Rows> next_rows(WordId& next, std::uint64_t work) const;
  std::span<const Occurrence> occurrences(WordId source) const;
  std::size_t level(WordId source, WordId target, std::uint32_t together) const;
  void collect(WordId source, Scratch& scratch) const;
  void fill_cells(Rows rows, Scratch& scratch);

  Bitext bitext_;
  std::size_t max_length_;
  std::uint64_t cells_ = 0;
  std::vector<std::uint32_t> source_frequency_, target_frequency_;
  std::vector<std::uint64_t> first_cell_;
  std::vector<std::uint64_t> first_occurrence_;
  std::vector<Occurrence> occurrences_;
  std::array<std::uint64_t, kLevels> levels_{};
  std::size_t level_ = kLevels;
  bool keeping_ = true;
  WordId surveyed_ = 0, built_ = 0;
  Buffer<std::uint64_t> row_offsets_;
  Buffer<WordId> columns_;
  Buffer<std::uint32_t> cell_entries_;
};

}  // namespace isogloss::align
