#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/large_pages.hpp"

namespace isogloss::features {

/// Finds the weight of a feature in an open-addressing table of records that begin with the feature's number and
/// its weight; number 0 marks a free one. Numbers rise through the table, so that a search for one that does not exist,
/// as most are, ends at the first higher one. Nothing in the table is believed: whatever is in it, reading it ends.
class WeightView {
 public:
  WeightView() = default;
  WeightView(const void* records, std::size_t count, std::size_t stride)
      : records_(static_cast<const std::byte*>(records)), count_(count), stride_(stride) {}

  bool empty() const { return count_ == 0 && more_ == nullptr; }

  /// The same weights with others added to them; `more` must outlive the view.
  WeightView plus(const WeightView& more) const {
    WeightView both = *this;
    both.more_ = &more;
    return both;
  }

  /// Where to look first. Rising numbers have rising places, and the last records are nobody's first.
  static std::size_t home(std::uint64_t feature, std::size_t count) {
    const std::size_t spare = count < 128 ? count / 2 : 32 + count / 64;
    return static_cast<std::size_t>((feature >> 32) * (count - spare) >> 32);
  }
  void prefetch(std::uint64_t feature) const { __builtin_prefetch(records_ + home(feature, count_) * stride_); }

  /// 0 if the feature is not there.
  float weight(std::uint64_t feature) const {
    return more_ == nullptr ? own_weight(feature) : own_weight(feature) + more_->weight(feature);
  }

 private:
  float own_weight(std::uint64_t feature) const {
    for (std::size_t at = home(feature, count_); at < count_; ++at) {
      const std::byte* record = records_ + at * stride_;
      std::uint64_t found;
      std::memcpy(&found, record, sizeof found);
      if (found == feature) {
        float value;
        std::memcpy(&value, record + sizeof found, sizeof value);
        return value;
      }
      if (found == 0 || found > feature) return 0.0f;
    }
    return 0.0f;
  }

  const std::byte* records_ = nullptr;
  std::size_t count_ = 0, stride_ = 0;
  const WeightView* more_ = nullptr;
};

/// A record of a stored table.
struct StoredWeight {
  std::uint64_t feature;
  float weight;
  std::uint32_t name;  ///< number of its name
};
static_assert(sizeof(StoredWeight) == 16);

/// Weights that are being learned, with the average over all steps so far kept without visiting any weight that a
/// step does not change.
class WeightTable {
 public:
  WeightView view() const { return {records_.data(), records_.size(), sizeof(Record)}; }
  std::size_t size() const { return used_; }
  /// Features whose weight is not 0.
  std::size_t active() const {
    std::size_t count = 0;
    for (const Record& record : records_) count += record.weight != 0;
    return count;
  }
  std::size_t bytes() const { return records_.capacity() * sizeof(Record) + checks_.capacity() * sizeof checks_[0]; }

  /// Steps so far; `next_step` counts the weights as they are once more.
  std::uint32_t steps() const { return steps_; }
  void next_step() { ++steps_; }

  float weight(std::uint64_t feature) const { return view().weight(feature); }

  /// Asks for the memory that `add` will touch.
  void prefetch(std::uint64_t feature) const {
    if (!records_.empty()) __builtin_prefetch(&records_[WeightView::home(feature, records_.size())], 1);
  }

  /// Adds to a weight; true if the feature was not there before. Throws std::invalid_argument for feature 0.
  bool add(std::uint64_t feature, float change);

  /// False if the feature is there and was met before with another check: two features share its number. A feature
  /// that is there without a check gets this one.
  bool meet(std::uint64_t feature, std::uint32_t check);

  /// All features by ascending id with their weight now, what their weights were in the mean of all steps, and what
  /// is needed to go on.
  struct Columns {
    std::vector<std::uint64_t> features;
    std::vector<float> weights;
    std::vector<double> sums;  ///< of the weights of all steps so far
    std::vector<std::uint32_t> checks;
  };
  Columns columns() const;

  /// Takes up where `columns` left off.
  void restore(std::span<const std::uint64_t> features, std::span<const float> weights,
               std::span<const double> sums, std::span<const std::uint32_t> checks, std::uint32_t steps);

 private:
  struct Record {
    std::uint64_t feature = 0;
    float weight = 0;
    std::uint32_t last = 0;  // the step up to which `sum` is right
    double sum = 0;
  };
  static_assert(sizeof(Record) == 24);

  /// Where a feature is or, if it is not there, belongs; the end if there is no room behind its place.
  std::size_t place_of(std::uint64_t feature) const;
  Record& insert(std::uint64_t feature);
  void grow();

  std::vector<Record, LargePages<Record>> records_;
  std::vector<std::uint32_t> checks_;  // of the records, 0 for none
  std::size_t used_ = 0;
  std::uint32_t steps_ = 0;
};

/// Lays features out as a table that WeightView reads, with `slots` records, more than there are features. Throws
/// std::invalid_argument if one is 0 or occurs twice, std::length_error if more slots are needed.
void fill_table(std::span<const std::uint64_t> features, std::span<const float> weights,
                std::span<StoredWeight> slots);

}  // namespace isogloss::features
