#include "learn/batch_mira.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/offsets.hpp"
#include "learn/products.hpp"

namespace isogloss::learn {

void MiraList::check() const {
  if (sentence_offsets.empty() || statistics_columns == 0)
    throw std::invalid_argument("batch MIRA needs sentences and statistics");
  if (statistics.size() != candidates() * statistics_columns || dense.size() != candidates() * dense_columns)
    throw std::invalid_argument("features and statistics differ in their number of candidates");
  check_offsets(sentence_offsets, sentence_offsets.size() - 1, candidates(), "sentences");
  check_offsets(sparse_offsets, candidates(), columns.size(), "sparse features");
  if (columns.size() != values.size())
    throw std::invalid_argument("sparse columns and values differ in number");
  for (std::size_t i = 0; i + 1 < sentence_offsets.size(); ++i)
    if (sentence_offsets[i] == sentence_offsets[i + 1])
      throw std::invalid_argument("a sentence has no candidates");
  for (const std::uint32_t column : columns)
    if (column >= sparse_columns) throw std::invalid_argument("a sparse feature that does not exist");
  for (const float value : values)
    if (!std::isfinite(value)) throw std::invalid_argument("sparse features must be finite numbers");
  check_finite(dense, "features");
  check_finite(statistics, "statistics");
}

struct BatchMira::Scratch {
  std::vector<double> worths;                                // of the sentence's distinct statistics
  std::vector<double> scores;                                // of its candidates
  std::vector<std::pair<std::uint32_t, double>> difference;  // sparse features of hope minus those of fear
};

BatchMira::BatchMira(const MiraList& list)
    : list_(list),
      distinct_(distinct_statistics(list.sentence_offsets, list.statistics, list.statistics_columns)) {}

void BatchMira::visit(std::span<const std::uint32_t> order, const MiraOptions& options,
                      const MiraScorer& scorer, MiraState& state) const {
  const std::size_t sentences = list_.sentence_offsets.size() - 1;
  for (const std::uint32_t sentence : order)
    if (sentence >= sentences) throw std::invalid_argument("a sentence that does not exist");
  Scratch scratch;
  for (const std::uint32_t sentence : order) step(sentence, options, scorer, state, scratch);
}

void BatchMira::step(std::size_t sentence, const MiraOptions& options, const MiraScorer& scorer,
                     MiraState& state, Scratch& scratch) const {
  const std::uint32_t first_kind = distinct_.offsets[sentence];
  const std::size_t width = list_.statistics_columns;
  scratch.worths.resize(distinct_.offsets[sentence + 1] - first_kind);
  scorer(distinct_.rows.data() + first_kind * width, scratch.worths.size(), state.background,
         scratch.worths.data());
  const double scale = options.loss_scale * (state.sentences + 1);

  double highest = 0, lowest = 0, hope_score = 0, hope_worth = 0, fear_score = 0, fear_worth = 0;
  std::size_t hope = 0, fear = 0;
  const auto begin = static_cast<std::size_t>(list_.sentence_offsets[sentence]);
  const auto end = static_cast<std::size_t>(list_.sentence_offsets[sentence + 1]);
  scratch.scores.resize(end - begin);
  products(list_.dense.data() + begin * list_.dense_columns, end - begin, state.dense, scratch.scores.data());
  for (std::size_t row = begin; row < end; ++row) {
    double score = scratch.scores[row - begin];
    for (auto i = static_cast<std::size_t>(list_.sparse_offsets[row]);
         i < static_cast<std::size_t>(list_.sparse_offsets[row + 1]); ++i)
      score += state.sparse[list_.columns[i]] * static_cast<double>(list_.values[i]);
    const double worth = scale * scratch.worths[distinct_.kinds[row] - first_kind];
    if (row == begin || score + worth > highest)
      highest = score + worth, hope = row, hope_score = score, hope_worth = worth;
    if (row == begin || score - worth > lowest)
      lowest = score - worth, fear = row, fear_score = score, fear_worth = worth;
  }
  update(hope, fear, hope_worth - fear_worth, hope_score - fear_score, options, state, scratch);
  for (std::size_t k = 0; k < width; ++k)
    state.background[k] = options.decay * state.background[k] + list_.statistics[hope * width + k];
  state.sentences = options.decay * state.sentences + 1;
  ++state.steps;
}

void BatchMira::update(std::size_t hope, std::size_t fear, double loss, double margin,
                       const MiraOptions& options, MiraState& state, Scratch& scratch) const {
  if (hope == fear || loss <= margin) return;
  const double* good = list_.dense.data() + hope * list_.dense_columns;
  const double* bad = list_.dense.data() + fear * list_.dense_columns;
  double norm = 0;
  for (std::size_t k = 0; k < list_.dense_columns; ++k) norm += (good[k] - bad[k]) * (good[k] - bad[k]);

  scratch.difference.clear();
  auto i = static_cast<std::size_t>(list_.sparse_offsets[hope]);
  auto j = static_cast<std::size_t>(list_.sparse_offsets[fear]);
  const auto i_end = static_cast<std::size_t>(list_.sparse_offsets[hope + 1]);
  const auto j_end = static_cast<std::size_t>(list_.sparse_offsets[fear + 1]);
  while (i < i_end || j < j_end) {
    const bool has_good = i < i_end && (j == j_end || list_.columns[i] <= list_.columns[j]);
    const bool has_bad = j < j_end && (i == i_end || list_.columns[j] <= list_.columns[i]);
    const std::uint32_t column = has_good ? list_.columns[i] : list_.columns[j];
    const double value = (has_good ? static_cast<double>(list_.values[i++]) : 0) -
                         (has_bad ? static_cast<double>(list_.values[j++]) : 0);
    if (value != 0) scratch.difference.emplace_back(column, value);
    norm += value * value;
  }
  if (norm <= 0) return;

  const double step = std::min(options.aggressiveness, (loss - margin) / norm);
  const auto before = static_cast<double>(state.steps);
  for (std::size_t k = 0; k < list_.dense_columns; ++k) {
    const double pull = options.aggressiveness * options.strength[k];
    const double moved = (state.dense[k] + step * (good[k] - bad[k]) + pull * options.mean[k]) / (1 + pull);
    const double bounded = std::clamp(moved, options.lower[k], options.upper[k]);
    state.dense_correction[k] += before * (bounded - state.dense[k]);
    state.dense[k] = bounded;
  }
  for (const auto& [column, value] : scratch.difference) {
    state.sparse_correction[column] += before * step * value;
    state.sparse[column] += step * value;
  }
}

}  // namespace isogloss::learn
