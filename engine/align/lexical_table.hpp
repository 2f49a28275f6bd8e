#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/word.hpp"

namespace isogloss::align {

/// Lexical translation probabilities, both ways, of the word pairs worth keeping.
///
/// A view of three flat arrays, usually mapped from a file: for each source word its target words in
/// ascending order, and for each such entry p(target | source) and p(source | target) side by side. Many
/// readers. A look-up is a binary search in one row.
class LexicalTable {
 public:
  LexicalTable() = default;

  /// `row_offsets` has one more entry than there are source words, `probabilities` two per column.
  /// Throws std::invalid_argument if sizes do not fit or offsets do not rise from 0 to their number.
  LexicalTable(std::span<const std::uint64_t> row_offsets, std::span<const WordId> columns,
               std::span<const float> probabilities);

  std::size_t source_words() const { return row_offsets_.size() - 1; }
  std::size_t entries() const { return columns_.size(); }

  /// The entry of a word pair; nothing if it is not in the table or `source` is not a word of it.
  std::optional<std::size_t> find(WordId source, WordId target) const;

  /// p(target | source) of an entry that `find` gave.
  float forward(std::size_t entry) const { return probabilities_[2 * entry]; }
  /// p(source | target) of an entry that `find` gave.
  float backward(std::size_t entry) const { return probabilities_[2 * entry + 1]; }

  /// p(target | source), 0 for a pair not in the table.
  float forward(WordId source, WordId target) const {
    const auto entry = find(source, target);
    return entry ? forward(*entry) : 0.0f;
  }
  /// p(source | target), 0 for a pair not in the table.
  float backward(WordId source, WordId target) const {
    const auto entry = find(source, target);
    return entry ? backward(*entry) : 0.0f;
  }

 private:
  std::span<const std::uint64_t> row_offsets_;
  std::span<const WordId> columns_;
  std::span<const float> probabilities_;
};

}  // namespace isogloss::align
