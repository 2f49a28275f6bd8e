#include "features/event_pool.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/offsets.hpp"

namespace isogloss::features {
namespace {

struct Feature {
  std::uint64_t number;
  std::uint64_t hash() const { return number; }  // it is one already
  bool operator==(const Feature&) const = default;
};

/// Whether something that rows have is the same in all of them.
struct Spread {
  std::size_t rows = 0;  // that have it
  float count = 0;
  bool varies = false;

  void see(float in_row) {
    varies = varies || (rows > 0 && in_row != count);
    count = in_row;
    ++rows;
  }
  bool differs(std::size_t all) const { return varies || rows < all; }
};

}  // namespace

EventPool::EventPool(std::span<const std::uint64_t> keys, std::span<const std::int64_t> offsets,
                     std::span<const std::uint64_t> features) {
  check_offsets(offsets, keys.size(), features.size(), "features of events");
  for (std::size_t i = 0; i < keys.size(); ++i)
    number(keys[i], [&] {
      return features.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    });
  if (size() != keys.size()) throw std::invalid_argument("an event occurs twice");
}

std::span<const std::uint64_t> EventPool::features(std::uint64_t event) const {
  if (event >= size()) throw std::out_of_range("no such event");
  const auto begin = static_cast<std::size_t>(offsets_[event]), end = static_cast<std::size_t>(offsets_[event + 1]);
  return {features_.data() + begin, end - begin};
}

std::vector<std::uint64_t> EventPool::keys() const {
  std::vector<std::uint64_t> keys;
  for (const Key& key : keys_.values()) keys.push_back(key.value);
  return keys;
}

void EventPool::add(std::span<const std::uint64_t> features) {
  features_.insert(features_.end(), features.begin(), features.end());
  offsets_.push_back(static_cast<std::int64_t>(features_.size()));
}

std::vector<std::uint32_t> EventPool::keep(std::span<const std::uint64_t> events) {
  std::vector<std::uint32_t> renumbered(size(), kGone);
  EventPool kept;
  for (std::uint64_t event : events) {
    const std::span<const std::uint64_t> own = features(event);
    renumbered[event] = kept.number(keys_[static_cast<std::uint32_t>(event)].value, [&] { return own; });
  }
  kept.features_.shrink_to_fit();
  *this = std::move(kept);
  return renumbered;
}

DifferentFeatures different_features(const EventPool& pool, std::span<const std::int64_t> offsets,
                                     std::span<const std::uint64_t> events, std::span<const float> counts,
                                     const WeightView& weights) {
  if (offsets.empty()) throw std::invalid_argument("rows have no offsets");
  const std::size_t rows = offsets.size() - 1;
  check_offsets(offsets, rows, events.size(), "events");
  if (counts.size() != events.size()) throw std::invalid_argument("a count for each event is expected");
  std::vector<Spread> spread(pool.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i] >= pool.size()) throw std::out_of_range("no such event");
    spread[events[i]].see(counts[i]);
  }

  // The columns of the events in which rows differ, each event once.
  Interner<Feature> numbers;
  std::vector<std::size_t> begin(pool.size(), 0), end(pool.size(), 0);
  std::vector<std::uint32_t> of_events;
  for (std::uint32_t event = 0; event < pool.size(); ++event) {
    begin[event] = of_events.size();
    if (spread[event].rows > 0 && spread[event].differs(rows))
      for (std::uint64_t feature : pool.features(event)) of_events.push_back(numbers.number({feature}));
    end[event] = of_events.size();
  }

  // Events share features; those that come out equal after all are dropped in the end.
  DifferentFeatures out;
  std::vector<float> in_row(numbers.size(), 0.0f);
  std::vector<Spread> of_columns(numbers.size());
  out.offsets.push_back(0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = out.columns.size();
    for (auto i = static_cast<std::size_t>(offsets[row]); i < static_cast<std::size_t>(offsets[row + 1]); ++i)
      for (std::size_t k = begin[events[i]]; k < end[events[i]]; ++k) {
        if (in_row[of_events[k]] == 0) out.columns.push_back(of_events[k]);
        in_row[of_events[k]] += counts[i];
      }
    for (std::size_t k = first; k < out.columns.size(); ++k) {
      float& count = in_row[out.columns[k]];
      of_columns[out.columns[k]].see(count);
      out.counts.push_back(count);
      count = 0;
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.columns.size()));
  }

  std::vector<std::uint32_t> renumbered(numbers.size(), EventPool::kGone);
  std::vector<float> weight_of;
  for (std::size_t column = 0; column < renumbered.size(); ++column) {
    if (!of_columns[column].differs(rows)) continue;
    renumbered[column] = static_cast<std::uint32_t>(out.features.size());
    out.features.push_back(numbers.values()[column].number);
  }
  weight_of.reserve(out.features.size());
  constexpr std::size_t kAhead = 16;  // weights lie all over memory
  for (std::size_t i = 0; i < out.features.size(); ++i) {
    if (i + kAhead < out.features.size() && !weights.empty()) weights.prefetch(out.features[i + kAhead]);
    weight_of.push_back(weights.weight(out.features[i]));
  }
  std::size_t kept = 0, next = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (const auto last = static_cast<std::size_t>(out.offsets[row + 1]); next < last; ++next) {
      const std::uint32_t column = renumbered[out.columns[next]];
      if (column == EventPool::kGone) continue;
      sum += static_cast<double>(weight_of[column]) * static_cast<double>(out.counts[next]);
      out.columns[kept] = column;
      out.counts[kept++] = out.counts[next];
    }
    out.offsets[row + 1] = static_cast<std::int64_t>(kept);
    out.sums.push_back(sum);
  }
  out.columns.resize(kept);
  out.counts.resize(kept);
  return out;
}

}  // namespace isogloss::features
