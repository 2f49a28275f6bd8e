#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "features/weights.hpp"

namespace isogloss::features {

/// The events of the translations of one sentence, each with its features. Translations of a sentence have most events
/// in common, and an event has many features: what is told by events is made once and told in few numbers.
class EventPool {
 public:
  static constexpr std::uint32_t kGone = 0xffffffffu;

  EventPool() = default;
  /// What `keys`, `offsets` and `features` were; throws std::invalid_argument if they do not fit one another.
  EventPool(std::span<const std::uint64_t> keys, std::span<const std::int64_t> offsets,
            std::span<const std::uint64_t> features);

  std::size_t size() const { return keys_.size(); }

  /// The number of an event; `expand()` gives the features of one that is new.
  template <class Expand>
  std::uint32_t number(std::uint64_t key, Expand&& expand) {
    const std::size_t before = size();
    const std::uint32_t event = keys_.number({key});
    if (event == before) add(expand());
    return event;
  }

  /// The features of an event; throws std::out_of_range if there is no such event.
  std::span<const std::uint64_t> features(std::uint64_t event) const;

  /// Forgets all other events. Gives every event's new number, kGone for those that are gone.
  std::vector<std::uint32_t> keep(std::span<const std::uint64_t> events);

  std::vector<std::uint64_t> keys() const;
  std::span<const std::int64_t> offsets() const { return offsets_; }
  std::span<const std::uint64_t> features() const { return features_; }

 private:
  struct Key {
    std::uint64_t value;
    std::uint64_t hash() const { return mix64(value); }
    bool operator==(const Key&) const = default;
  };
  void add(std::span<const std::uint64_t> features);

  Interner<Key> keys_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::uint64_t> features_;
};

/// Rows of features: row i has `columns` and `counts` from `offsets[i]` on.
struct DifferentFeatures {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> columns;   ///< each once in a row
  std::vector<float> counts;
  std::vector<std::uint64_t> features;  ///< by column
  std::vector<double> sums;             ///< of weight times count, per row
};

/// In what rows of events differ: their features, with counts less what all rows have in common, without those that
/// all have equally often. What is left out decides nothing between the rows. Throws std::invalid_argument or std::out_of_range for rows that are none of the pool.
DifferentFeatures different_features(const EventPool& pool, std::span<const std::int64_t> offsets,
                                     std::span<const std::uint64_t> events, std::span<const float> counts,
                                     const WeightView& weights);

}  // namespace isogloss::features
