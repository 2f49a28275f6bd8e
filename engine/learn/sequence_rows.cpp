#include "learn/sequence_rows.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/hash.hpp"

namespace isogloss::learn {

SequenceRows::SequenceRows(std::size_t real_columns, std::uint32_t min_count)
    : real_columns_(real_columns), min_count_(min_count) {
  offsets_.push_back(0);
  features_.resize(real_columns, 0);
  counts_.resize(real_columns, 0xffffffffu);
}

std::size_t SequenceRows::bytes() const {
  return offsets_.size() * sizeof(std::int64_t) + columns_.size() * (sizeof(Column) + sizeof(float)) +
         features_.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) + index_.bytes();
}

void SequenceRows::check(const SequenceFeatures& sequence, std::size_t real_columns) {
  if (sequence.features.size() != sequence.counts.size() || sequence.real.size() != real_columns)
    throw std::invalid_argument("the features and values of a sequence do not match");
  std::uint64_t last = 0;
  for (std::uint64_t feature : sequence.features) {
    if (feature <= last) throw std::invalid_argument("the features of a sequence must be in ascending order, from 1");
    last = feature;
  }
  for (float count : sequence.counts)
    if (!std::isfinite(count)) throw std::invalid_argument("a feature has a value that is not finite");
  for (double value : sequence.real)
    if (!std::isfinite(value)) throw std::invalid_argument("a feature has a value that is not finite");
}

std::uint64_t SequenceRows::hash(const SequenceFeatures& sequence) {
  std::uint64_t hash = sequence.features.size();
  for (std::size_t i = 0; i < sequence.features.size(); ++i)
    hash = combine64(combine64(hash, sequence.features[i]), std::bit_cast<std::uint32_t>(sequence.counts[i]));
  for (double value : sequence.real) hash = combine64(hash, std::bit_cast<std::uint64_t>(value + 0.0));
  return hash;
}

SequenceRows::Column SequenceRows::find(std::uint64_t feature) const {
  const std::uint32_t found = index_.find(
      mix64(feature), [&](std::uint32_t number) { return features_[real_columns_ + number] == feature; });
  return found == Index::kNone ? kNoColumn : static_cast<Column>(real_columns_ + found);
}

SequenceRows::Column SequenceRows::column_of(std::uint64_t feature) {
  const std::uint32_t number = index_.find_or_add(
      mix64(feature), [&](std::uint32_t other) { return features_[real_columns_ + other] == feature; },
      [&](std::uint32_t other) { return mix64(features_[real_columns_ + other]); },
      [&] {
        if (features_.size() >= kNoColumn) throw std::invalid_argument("there are too many features");
        features_.push_back(feature);
        counts_.push_back(0);
      });
  return static_cast<Column>(real_columns_ + number);
}

std::size_t SequenceRows::add(const SequenceFeatures& sequence) {
  check(sequence, real_columns_);
  for (std::size_t i = 0; i < sequence.real.size(); ++i) {
    if (sequence.real[i] == 0) continue;
    columns_.push_back(static_cast<Column>(i));
    values_.push_back(static_cast<float>(sequence.real[i]));
  }
  for (std::size_t i = 0; i < sequence.features.size(); ++i) {
    const Column column = column_of(sequence.features[i]);
    columns_.push_back(column);
    values_.push_back(sequence.counts[i]);
    if (++counts_[column] == min_count_) activated_.push_back(sequence.features[i]);
  }
  offsets_.push_back(static_cast<std::int64_t>(columns_.size()));
  return rows() - 1;
}

std::vector<std::uint64_t> SequenceRows::take_activated() { return std::exchange(activated_, {}); }

}  // namespace isogloss::learn
