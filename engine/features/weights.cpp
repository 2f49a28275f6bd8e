#include "features/weights.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace isogloss::features {

std::size_t WeightTable::place_of(std::uint64_t feature) const {
  std::size_t at = WeightView::home(feature, records_.size());
  while (at < records_.size() && records_[at].feature != 0 && records_[at].feature < feature) ++at;
  return at;
}

// By a third at a time, so that there is never much more room than is needed.
void WeightTable::grow() {
  std::size_t size = records_.size() < 1024 ? 1024 : records_.size() + records_.size() / 3;
  for (bool fits = false; !fits; size += size / 3) {
    std::vector<Record> grown(size);
    std::size_t next = 0;
    fits = true;
    for (const Record& record : records_) {
      if (record.feature == 0) continue;
      const std::size_t at = std::max(next, WeightView::home(record.feature, size));
      fits = fits && at < size;
      if (!fits) break;
      grown[at] = record;
      next = at + 1;
    }
    if (fits) records_.swap(grown);
  }
}

WeightTable::Record& WeightTable::insert(std::uint64_t feature) {
  for (;;) {
    const std::size_t at = place_of(feature);
    std::size_t free = at;
    while (free < records_.size() && records_[free].feature != 0) ++free;
    if (free < records_.size()) {
      std::move_backward(records_.begin() + static_cast<std::ptrdiff_t>(at),
                         records_.begin() + static_cast<std::ptrdiff_t>(free),
                         records_.begin() + static_cast<std::ptrdiff_t>(free) + 1);
      records_[at] = Record{};
      records_[at].feature = feature;
      ++used_;
      return records_[at];
    }
    grow();
  }
}

bool WeightTable::add(std::uint64_t feature, float change) {
  if (feature == 0) throw std::invalid_argument("0 is not the number of a feature");
  if (records_.size() - used_ <= records_.size() / 7) grow();
  const std::size_t at = place_of(feature);
  const bool fresh = at == records_.size() || records_[at].feature != feature;
  Record& record = fresh ? insert(feature) : records_[at];
  record.sum += static_cast<double>(record.weight) * (steps_ - record.last);
  record.last = steps_;
  record.weight += change;
  return fresh;
}

WeightTable::Columns WeightTable::columns() const {
  Columns out;
  for (const Record& record : records_) {
    if (record.feature == 0) continue;
    out.features.push_back(record.feature);
    out.weights.push_back(record.weight);
    out.sums.push_back(record.sum + static_cast<double>(record.weight) * (steps_ - record.last));
  }
  return out;
}

void WeightTable::restore(std::span<const std::uint64_t> features, std::span<const float> weights,
                          std::span<const double> sums, std::uint32_t steps) {
  if (features.size() != weights.size() || features.size() != sums.size())
    throw std::invalid_argument("as many weights and sums as features are expected");
  *this = WeightTable();
  steps_ = steps;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!add(features[i], weights[i])) throw std::invalid_argument("a feature stands twice");
    records_[place_of(features[i])].sum = sums[i];
  }
}

void fill_table(std::span<const std::uint64_t> features, std::span<const float> weights,
                std::span<StoredWeight> slots) {
  if (features.size() != weights.size() || features.size() >= slots.size())
    throw std::invalid_argument("a weight for each feature and more slots than features are expected");
  std::vector<std::uint32_t> order(features.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return features[a] < features[b]; });
  if (!order.empty() && features[order[0]] == 0) throw std::invalid_argument("0 is not the number of a feature");
  for (StoredWeight& slot : slots) slot = {0, 0.0f, 0};
  std::size_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t feature = features[order[i]];
    if (i > 0 && feature == features[order[i - 1]]) throw std::invalid_argument("a feature stands twice");
    const std::size_t at = std::max(next, WeightView::home(feature, slots.size()));
    if (at >= slots.size()) throw std::length_error("more slots are needed");
    slots[at] = {feature, weights[order[i]], order[i]};
    next = at + 1;
  }
}

}  // namespace isogloss::features
