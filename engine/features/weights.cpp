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

// By a fifth at a time, so that there is never much more room than is needed.
void WeightTable::grow() {
  std::size_t size = records_.size() < 1024 ? 1024 : records_.size() + records_.size() / 5;
  for (bool fits = false; !fits; size += size / 5) {
    decltype(records_) grown(size);
    std::vector<std::uint32_t> checks(size, 0);
    std::size_t next = 0;
    fits = true;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].feature == 0) continue;
      const std::size_t at = std::max(next, WeightView::home(records_[i].feature, size));
      fits = fits && at < size;
      if (!fits) break;
      grown[at] = records_[i];
      checks[at] = checks_[i];
      next = at + 1;
    }
    if (fits) {
      records_.swap(grown);
      checks_.swap(checks);
    }
  }
}

bool WeightTable::meet(std::uint64_t feature, std::uint32_t check) {
  const std::size_t at = place_of(feature);
  if (at == records_.size() || records_[at].feature != feature) return true;
  check |= check == 0;
  if (checks_[at] == 0) checks_[at] = check;
  return checks_[at] == check;
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
      std::move_backward(checks_.begin() + static_cast<std::ptrdiff_t>(at),
                         checks_.begin() + static_cast<std::ptrdiff_t>(free),
                         checks_.begin() + static_cast<std::ptrdiff_t>(free) + 1);
      checks_[at] = 0;
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
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    if (record.feature == 0) continue;
    out.checks.push_back(checks_[i]);
    out.features.push_back(record.feature);
    out.weights.push_back(record.weight);
    out.sums.push_back(record.sum + static_cast<double>(record.weight) * (steps_ - record.last));
  }
  return out;
}

void WeightTable::restore(std::span<const std::uint64_t> features, std::span<const float> weights,
                          std::span<const double> sums, std::span<const std::uint32_t> checks,
                          std::uint32_t steps) {
  if (features.size() != weights.size() || features.size() != sums.size() || features.size() != checks.size())
    throw std::invalid_argument("as many weights, sums and checks as features are expected");
  *this = WeightTable();
  steps_ = steps;
  // They come in order and are put side by side; one at a time each would have to pass all before it.
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i] == 0 || (i > 0 && features[i] <= features[i - 1]))
      throw std::invalid_argument("the features are not in ascending order");
    Record record;
    record.feature = features[i];
    record.weight = weights[i];
    record.last = steps;
    record.sum = sums[i];
    records_.push_back(record);
    checks_.push_back(checks[i]);
  }
  used_ = records_.size();
  grow();
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
    if (i > 0 && feature == features[order[i - 1]]) throw std::invalid_argument("a feature occurs twice");
    const std::size_t at = std::max(next, WeightView::home(feature, slots.size()));
    if (at >= slots.size()) throw std::length_error("more slots are needed");
    slots[at] = {feature, weights[order[i]], order[i]};
    next = at + 1;
  }
}

}  // namespace isogloss::features
