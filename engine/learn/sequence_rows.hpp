#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"

namespace isogloss::learn {

/// A sequence as it comes: sparse features by number, rising, and the values of the real-valued ones.
struct SequenceFeatures {
  std::span<const std::uint64_t> features;  ///< none of them 0
  std::span<const float> counts;
  std::span<const double> real;
};

/// Features of many sequences, row after row in flat arrays. A feature's 64-bit number becomes a column when it is
/// first seen; the first columns are those of real-valued features.
class SequenceRows {
 public:
  using Column = std::uint32_t;
  static constexpr Column kNoColumn = 0xffffffffu;

  struct Row {
    std::span<const Column> columns;
    std::span<const float> values;
  };

  /// Features in fewer than `min_count` rows are not `active`; real-valued ones always are.
  SequenceRows(std::size_t real_columns, std::uint32_t min_count);

  /// Throws std::invalid_argument if the sequence makes no sense or there is no room for another column.
  std::size_t add(const SequenceFeatures& sequence);

  std::size_t rows() const { return offsets_.size() - 1; }
  std::size_t columns() const { return features_.size(); }
  std::size_t real_columns() const { return real_columns_; }
  std::size_t entries() const { return columns_.size(); }
  std::size_t bytes() const;
  Row row(std::size_t number) const {
    const auto begin = static_cast<std::size_t>(offsets_[number]), end = static_cast<std::size_t>(offsets_[number + 1]);
    return {{columns_.data() + begin, end - begin}, {values_.data() + begin, end - begin}};
  }

  bool active(Column column) const { return counts_[column] >= min_count_; }
  /// The feature's number; 0 for a real-valued one.
  std::uint64_t feature(Column column) const { return features_[column]; }
  Column find(std::uint64_t feature) const;

  /// Features that have become active since the last call.
  std::vector<std::uint64_t> take_activated();

  static void check(const SequenceFeatures& sequence, std::size_t real_columns);
  /// Equal for sequences of equal features and values.
  static std::uint64_t hash(const SequenceFeatures& sequence);

 private:
  Column column_of(std::uint64_t feature);

  std::size_t real_columns_;
  std::uint32_t min_count_;
  Buffer<std::int64_t> offsets_;
  Buffer<Column> columns_;
  Buffer<float> values_;
  Buffer<std::uint64_t> features_;   // by column
  Buffer<std::uint32_t> counts_;     // rows with it, by column
  Index index_;                      // of the features behind the real-valued ones
  std::vector<std::uint64_t> activated_;
};

}  // namespace isogloss::learn
