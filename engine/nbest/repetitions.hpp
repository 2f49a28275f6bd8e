#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/word.hpp"

namespace isogloss::nbest {

/// What tells the candidates of a list apart: their words and features.
struct CandidateView {
  std::span<const std::int64_t> sentence_offsets;
  std::span<const std::int64_t> token_offsets;
  std::span<const WordId> tokens;
  std::span<const double> dense;  ///< row after row, `dense_columns` numbers each
  std::size_t dense_columns = 0;
  std::span<const std::int64_t> sparse_offsets;  ///< empty without sparse features
  std::span<const std::uint32_t> columns;
  std::span<const float> values;

  std::size_t candidates() const { return token_offsets.empty() ? 0 : token_offsets.size() - 1; }
  /// Throws std::invalid_argument unless all offsets are in range.
  void check() const;
};

/// The candidates that do not repeat an earlier one of their sentence, in order. -0 and 0 are the same number.
std::vector<std::int64_t> first_of_each(const CandidateView& list);

}  // namespace isogloss::nbest
