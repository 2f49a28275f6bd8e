#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/word.hpp"

namespace isogloss::metric {

/// Token sequences grouped by sentence: sequence s holds ids[offsets[s]..offsets[s + 1]], and sentence i
/// owns the sequences sentence_offsets[i]..sentence_offsets[i + 1]. Offsets need not start at 0, so that
/// a piece of a longer list can be looked at without a copy.
struct Segments {
  std::span<const WordId> ids;
  std::span<const std::int64_t> offsets;
  std::span<const std::int64_t> sentence_offsets;

  std::size_t sentences() const { return sentence_offsets.size() - 1; }
  std::size_t sequences() const { return offsets.size() - 1; }

  std::span<const WordId> tokens(std::int64_t sequence) const {
    const auto s = static_cast<std::size_t>(sequence);
    return ids.subspan(static_cast<std::size_t>(offsets[s]),
                       static_cast<std::size_t>(offsets[s + 1] - offsets[s]));
  }

  /// The first sequence of a sentence and the one after its last.
  std::pair<std::int64_t, std::int64_t> sequences_of(std::size_t sentence) const {
    return {sentence_offsets[sentence], sentence_offsets[sentence + 1]};
  }
};

/// Throws std::invalid_argument unless all offsets rise and stay in range, no sequence is longer than
/// 2^31 - 1 tokens, both sides have the same sentences, and every sentence with a candidate has a
/// reference. After it every access through these offsets is safe.
void check_segments(const Segments& candidates, const Segments& references);

}  // namespace isogloss::metric
