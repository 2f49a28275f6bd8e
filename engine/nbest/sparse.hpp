#pragma once

#include <cstdint>
#include <span>

#include "nbest/columns.hpp"

namespace isogloss::nbest {

/// Sparse features in two levels: a candidate fires events, an event fires features. One event of four words
/// with five token types each is 625 features, and the candidates of a sentence share most of their events.
struct SparseView {
  std::span<const std::int64_t> candidate_offsets;  ///< into `events`, one row per candidate
  std::span<const std::uint32_t> events;
  std::span<const float> event_counts;              ///< parallel to `events`
  std::span<const std::int64_t> event_offsets;      ///< into `features`, one row per event
  std::span<const std::uint32_t> features;
  std::span<const float> feature_values;            ///< parallel to `features`

  /// Throws std::invalid_argument unless all offsets and event numbers are in range.
  void check() const;
};

/// The features of the given candidates, each once and in ascending order of their columns, with the values of
/// all events added up. Throws std::out_of_range for a row that does not exist.
void materialize(const SparseView& sparse, std::span<const std::int64_t> rows, Ragged<std::uint32_t>& columns,
                 Buffer<float>& values);

}  // namespace isogloss::nbest
