#include "learn/gram.hpp"

#include <algorithm>

#include "base/interner.hpp"

namespace isogloss::learn {
namespace {

struct Column {
  std::uint32_t number;
  std::uint64_t hash() const { return number * 0x9e3779b97f4a7c15ULL; }
  bool operator==(const Column&) const = default;
};

struct Firing {
  std::uint32_t row;
  float value;
};

/// The firings of all rows, grouped by feature.
class Transposed {
 public:
  explicit Transposed(const FeatureRows& rows) {
    number_features(rows.columns);
    firings_.resize(rows.columns.size());
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (auto i = static_cast<std::size_t>(rows.sparse_offsets[row]);
           i < static_cast<std::size_t>(rows.sparse_offsets[row + 1]); ++i)
        firings_[next[numbers_[i]]++] = {static_cast<std::uint32_t>(row), rows.values[i]};
  }

  std::size_t size() const { return offsets_.size() - 1; }
  std::span<const Firing> operator[](std::size_t feature) const {
    return {firings_.data() + offsets_[feature], offsets_[feature + 1] - offsets_[feature]};
  }

 private:
  /// Numbers the features and counts firings into `offsets_`. Columns that are small numbers number themselves, others
  /// in the order of their first firing.
  void number_features(std::span<const std::uint32_t> columns) {
    const std::uint32_t highest = columns.empty() ? 0 : *std::max_element(columns.begin(), columns.end());
    if (highest < columns.size()) {
      numbers_.assign(columns.begin(), columns.end());
      offsets_.assign(std::size_t{highest} + 2, 0);
      for (const std::uint32_t column : columns) ++offsets_[column + 1];
    } else {
      number_large(columns);
    }
    for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  }

  void number_large(std::span<const std::uint32_t> columns) {
    Interner<Column> found;
    numbers_.reserve(columns.size());
    offsets_.assign(1, 0);
    for (const std::uint32_t column : columns) {
      const std::uint32_t number = found.number({column});
      numbers_.push_back(number);
      offsets_.resize(found.size() + 1, 0);
      ++offsets_[number + 1];
    }
  }

  std::vector<std::uint32_t> numbers_;  // the feature of every firing, in the order of rows
  std::vector<std::uint32_t> offsets_;
  std::vector<Firing> firings_;
};

bool shared_by_all(std::span<const Firing> firings, std::size_t rows) {
  if (firings.size() != rows) return false;
  return std::all_of(firings.begin(), firings.end(),
                     [&](const Firing& firing) { return firing.value == firings[0].value; });
}

}  // namespace

std::vector<double> gram_matrix(const FeatureRows& rows) {
  const std::size_t size = rows.size(), columns = rows.dense_columns;
  std::vector<double> gram(size * size, 0.0);
  if (size == 0) return gram;

  std::vector<double> moved(rows.dense.begin(), rows.dense.end());
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t k = 0; k < columns; ++k) moved[row * columns + k] -= rows.dense[k];
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k < columns; ++k)
        gram[i * size + j] += moved[i * columns + k] * moved[j * columns + k];

  const Transposed features(rows);
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    const std::span<const Firing> firings = features[feature];
    if (shared_by_all(firings, size)) continue;
    for (std::size_t a = 0; a < firings.size(); ++a) {
      double* const products = gram.data() + firings[a].row * size;
      const double value = static_cast<double>(firings[a].value);
      for (std::size_t b = 0; b <= a; ++b)
        products[firings[b].row] += value * static_cast<double>(firings[b].value);
    }
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) gram[j * size + i] = gram[i * size + j];
  return gram;
}

}  // namespace isogloss::learn
