#include "align/lexical_table.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::align {

LexicalTable::LexicalTable(std::span<const std::uint64_t> row_offsets, std::span<const WordId> columns,
                           std::span<const float> probabilities)
    : row_offsets_(row_offsets), columns_(columns), probabilities_(probabilities) {
  if (row_offsets.empty() || row_offsets.front() != 0 || row_offsets.back() != columns.size() ||
      !std::is_sorted(row_offsets.begin(), row_offsets.end()))
    throw std::invalid_argument("lexical table: row offsets do not span the entries");
  if (probabilities.size() != 2 * columns.size())
    throw std::invalid_argument("lexical table: two probabilities are expected for each entry");
}

std::optional<std::size_t> LexicalTable::find(WordId source, WordId target) const {
  if (source >= source_words()) return std::nullopt;
  const auto row_end = columns_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[source + 1]);
  const auto place = std::lower_bound(columns_.begin() + static_cast<std::ptrdiff_t>(row_offsets_[source]),
                                      row_end, target);
  if (place == row_end || *place != target) return std::nullopt;
  return static_cast<std::size_t>(place - columns_.begin());
}

}  // namespace isogloss::align
