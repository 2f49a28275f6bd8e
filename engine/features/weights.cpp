#include "features/weights.hpp"

#include <stdexcept>

namespace isogloss::features {

std::size_t WeightTable::find(std::uint64_t feature) const {
  std::size_t at = WeightView::home(feature, records_.size());
  while (records_[at].feature != 0 && records_[at].feature != feature)
    if (++at == records_.size()) at = 0;
  return at;
}

// By a fifth at a time, so that there is never much more room than is needed.
void WeightTable::grow() {
  const std::size_t size = records_.size() < 1024 ? 1024 : records_.size() + records_.size() / 5;
  std::vector<Record> old(size);
  std::vector<std::uint32_t> old_checks(size, 0);
  old.swap(records_);
  old_checks.swap(checks_);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].feature == 0) continue;
    const std::size_t at = find(old[i].feature);
    records_[at] = old[i];
    checks_[at] = old_checks[i];
  }
}

bool WeightTable::meet(std::uint64_t feature, std::uint32_t check) {
  if (records_.empty()) return true;
  const std::size_t at = find(feature);
  if (records_[at].feature == 0) return true;
  check |= check == 0;
  if (checks_[at] == 0) checks_[at] = check;
  return checks_[at] == check;
}

bool WeightTable::add(std::uint64_t feature, float change) {
  if (feature == 0) throw std::invalid_argument("0 is not the number of a feature");
  if (records_.size() - used_ <= records_.size() / 7) grow();
  Record& record = records_[find(feature)];
  const bool fresh = record.feature == 0;
  if (fresh) {
    record.feature = feature;
    ++used_;
  }
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
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!add(features[i], weights[i])) throw std::invalid_argument("a feature stands twice");
    const std::size_t at = find(features[i]);
    records_[at].sum = sums[i];
    checks_[at] = checks[i];
  }
}

void fill_table(std::span<const std::uint64_t> features, std::span<const float> weights,
                std::span<StoredWeight> slots) {
  if (features.size() != weights.size() || features.size() >= slots.size())
    throw std::invalid_argument("a weight for each feature and more slots than features are expected");
  for (StoredWeight& slot : slots) slot = {0, 0.0f, 0};
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i] == 0) throw std::invalid_argument("0 is not the number of a feature");
    std::size_t at = WeightView::home(features[i], slots.size());
    while (slots[at].feature != 0) {
      if (slots[at].feature == features[i]) throw std::invalid_argument("a feature stands twice");
      if (++at == slots.size()) at = 0;
    }
    slots[at] = {features[i], weights[i], static_cast<std::uint32_t>(i)};
  }
}

}  // namespace isogloss::features
