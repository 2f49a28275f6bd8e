#include "learn/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/offsets.hpp"

namespace isogloss::learn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

LineSearch::LineSearch(std::span<const std::int64_t> sentence_offsets, std::span<const double> dense,
                       std::size_t dense_columns, std::span<const double> statistics,
                       std::size_t statistics_columns)
    : dense_columns_(dense_columns), statistics_columns_(statistics_columns) {
  if (sentence_offsets.empty() || statistics_columns == 0)
    throw std::invalid_argument("a line search needs sentences and statistics");
  const std::size_t rows = statistics.size() / statistics_columns;
  if (rows >= std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("too many candidates for a line search");
  if (dense.size() != rows * dense_columns || statistics.size() != rows * statistics_columns)
    throw std::invalid_argument("features and statistics differ in their number of candidates");
  check_offsets(sentence_offsets, sentence_offsets.size() - 1, rows, "sentences");
  check_finite(dense, "features");
  check_finite(statistics, "statistics");
  sentence_offsets_.assign(sentence_offsets.begin(), sentence_offsets.end());

  columns_.resize(dense.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < dense_columns; ++k) columns_[k * rows + row] = dense[row * dense_columns + k];

  orders_.resize(dense.size());
  for (std::size_t sentence = 0; sentence + 1 < sentence_offsets_.size(); ++sentence) {
    const std::uint32_t begin = sentence_offsets_[sentence], end = sentence_offsets_[sentence + 1];
    if (begin == end) throw std::invalid_argument("a sentence has no candidates");
    for (std::size_t k = 0; k < dense_columns; ++k) {
      const double* values = columns_.data() + k * rows;
      const auto order = orders_.begin() + static_cast<std::ptrdiff_t>(k * rows);
      std::iota(order + begin, order + end, begin);
      std::stable_sort(order + begin, order + end,
                       [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    }
  }
  distinct_ = distinct_statistics(sentence_offsets, statistics, statistics_columns);
}

template <class Order>
LineChoices LineSearch::sweep(std::span<const double> intercepts, const double* slopes, Order&& order) const {
  std::vector<Line> envelope;
  std::vector<Change> changes;
  LineChoices choices;
  choices.sums.resize(statistics_columns_, 0.0);
  for (std::size_t sentence = 0; sentence + 1 < sentence_offsets_.size(); ++sentence) {
    envelope.clear();
    for (const std::uint32_t row : order(sentence)) {
      const double intercept = intercepts[row], slope = slopes[row];
      double begin = -kInfinity;
      bool hidden = false;
      while (!envelope.empty()) {
        const Line& last = envelope.back();
        // In case of ties the first one stays, as when candidates are chosen by their scores.
        hidden = slope == last.slope && intercept <= last.intercept;
        if (hidden) break;
        begin = slope == last.slope ? -kInfinity : (last.intercept - intercept) / (slope - last.slope);
        if (begin > last.begin) break;
        envelope.pop_back();
        begin = -kInfinity;
      }
      if (hidden || begin == kInfinity) continue;
      envelope.push_back({begin, intercept, slope, row});
    }
    std::uint32_t kind = distinct_.kinds[envelope.front().row];
    for (std::size_t k = 0; k < statistics_columns_; ++k)
      choices.sums[k] += distinct_.rows[kind * statistics_columns_ + k];
    for (const Line& line : envelope) {
      if (distinct_.kinds[line.row] == kind) continue;
      changes.push_back({line.begin, kind, distinct_.kinds[line.row]});
      kind = distinct_.kinds[line.row];
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.at != b.at ? a.at < b.at : a.to < b.to;
  });
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto [at, from, to] = changes[i];
    if (i == 0 || at != changes[i - 1].at) {
      choices.thresholds.push_back(at);
      const std::size_t last = choices.sums.size() - statistics_columns_;
      choices.sums.resize(choices.sums.size() + statistics_columns_);
      std::copy_n(choices.sums.data() + last, statistics_columns_,
                  choices.sums.data() + last + statistics_columns_);
    }
    double* sums = choices.sums.data() + choices.sums.size() - statistics_columns_;
    for (std::size_t k = 0; k < statistics_columns_; ++k)
      sums[k] += distinct_.rows[to * statistics_columns_ + k] - distinct_.rows[from * statistics_columns_ + k];
  }
  return choices;
}

LineChoices LineSearch::along_column(std::span<const double> intercepts, std::size_t column) const {
  if (intercepts.size() != candidates() || column >= dense_columns_)
    throw std::invalid_argument("no such column, or not one score per candidate");
  check_finite(intercepts, "scores");
  const std::uint32_t* orders = orders_.data() + column * candidates();
  return sweep(intercepts, columns_.data() + column * candidates(), [&](std::size_t sentence) {
    return std::span<const std::uint32_t>(orders + sentence_offsets_[sentence],
                                          orders + sentence_offsets_[sentence + 1]);
  });
}

LineChoices LineSearch::along(std::span<const double> intercepts, std::span<const double> slopes) const {
  if (intercepts.size() != candidates() || slopes.size() != candidates())
    throw std::invalid_argument("not one score and one slope per candidate");
  check_finite(intercepts, "scores");
  check_finite(slopes, "slopes");
  std::vector<std::pair<double, std::uint32_t>> lines;
  std::vector<std::uint32_t> rows;
  return sweep(intercepts, slopes.data(), [&](std::size_t sentence) {
    lines.clear();
    for (std::uint32_t row = sentence_offsets_[sentence]; row < sentence_offsets_[sentence + 1]; ++row)
      lines.emplace_back(slopes[row], row);
    std::sort(lines.begin(), lines.end());
    rows.resize(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) rows[i] = lines[i].second;
    return std::span<const std::uint32_t>(rows);
  });
}

Buffer<double> LineSearch::products(std::span<const double> direction) const {
  if (direction.size() != dense_columns_) throw std::invalid_argument("not one number per dense column");
  Buffer<double> products;
  products.resize(candidates(), 0.0);
  for (std::size_t k = 0; k < dense_columns_; ++k) {
    const double* column = columns_.data() + k * candidates();
    for (std::size_t row = 0; row < candidates(); ++row) products[row] += direction[k] * column[row];
  }
  return products;
}

}  // namespace isogloss::learn
