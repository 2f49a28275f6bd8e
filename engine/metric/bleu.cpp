#include "metric/bleu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "metric/reference_lengths.hpp"
#include "metric/reference_ngrams.hpp"

namespace isogloss::metric {
namespace {

constexpr std::size_t kRowsPerTask = 4096;

struct BleuWorker {
  ReferenceNgrams ngrams;
  ReferenceLengths lengths;
};

void score_sentence(const Segments& candidates, const Segments& references, std::size_t sentence,
                    std::size_t order, ReferenceLength length, BleuWorker& worker, std::int32_t* rows) {
  const auto [first, last] = candidates.sequences_of(sentence);
  if (first == last) return;
  worker.ngrams.assign(references, sentence, order);
  worker.lengths.assign(references, sentence, length);
  for (std::int64_t c = first; c < last; ++c) {
    const std::span<const WordId> words = candidates.tokens(c);
    const auto size = static_cast<std::int32_t>(words.size());
    std::array<std::int32_t, kMaxNgramOrder + 1> matched{};
    worker.ngrams.match(words, [&](std::size_t n, ReferenceNgrams::Number) { ++matched[n]; });
    std::int32_t* row = rows + static_cast<std::size_t>(c) * bleu_columns(order);
    row[0] = size;
    row[1] = worker.lengths.closest(size);
    for (std::size_t n = 1; n <= order; ++n) {
      row[1 + n] = matched[n];
      row[1 + order + n] = std::max(size - static_cast<std::int32_t>(n) + 1, 0);
    }
  }
}

double score_row(const double* row, std::size_t order, const BleuOptions& options) {
  const double length = row[0], reference_length = row[1];
  const double* matched = row + 2;
  const double* totals = matched + order;
  if (std::all_of(matched, matched + order, [](double count) { return count == 0; })) return 0;

  double log_sum = 0, halved = 1;
  std::size_t orders = order;
  for (std::size_t n = 0; n < order; ++n) {
    const double extra = options.smoothing == BleuSmoothing::kAddK && n > 0 ? options.smoothing_value : 0;
    double correct = matched[n] + extra;
    const double total = totals[n] + extra;
    if (total == 0) {
      if (!options.effective_order || n == 0) return 0;
      break;
    }
    if (options.effective_order) orders = n + 1;
    if (correct == 0 && options.smoothing == BleuSmoothing::kExponential) correct = 1 / (halved *= 2);
    if (correct == 0 && options.smoothing == BleuSmoothing::kFloor) correct = options.smoothing_value;
    if (correct == 0) return 0;
    log_sum += std::log(correct / total);
  }
  const double brevity = length >= reference_length ? 0 : 1 - reference_length / length;
  return std::exp(brevity + log_sum / static_cast<double>(orders));
}

}  // namespace

void bleu_statistics(const Segments& candidates, const Segments& references, std::size_t order,
                     ReferenceLength length, std::size_t threads, std::int32_t* rows) {
  std::vector<BleuWorker> workers(std::clamp<std::size_t>(threads, 1, candidates.sentences() + 1));
  parallel_for(candidates.sentences(), threads, [&](std::size_t sentence, std::size_t worker) {
    score_sentence(candidates, references, sentence, order, length, workers[worker], rows);
  });
}

template <class Count>
void bleu_scores(std::span<const Count> statistics, std::span<const double> background, std::size_t order,
                 const BleuOptions& options, std::size_t threads, double* scores) {
  const std::size_t columns = bleu_columns(order);
  const std::size_t rows = statistics.size() / columns;
  const std::size_t tasks = (rows + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(tasks, threads, [&](std::size_t task, std::size_t) {
    std::array<double, bleu_columns(kMaxNgramOrder)> row{};
    const std::size_t end = std::min(rows, (task + 1) * kRowsPerTask);
    for (std::size_t r = task * kRowsPerTask; r < end; ++r) {
      for (std::size_t k = 0; k < columns; ++k)
        row[k] = static_cast<double>(statistics[r * columns + k]) + (background.empty() ? 0 : background[k]);
      scores[r] = score_row(row.data(), order, options);
    }
  });
}

template void bleu_scores(std::span<const std::int32_t>, std::span<const double>, std::size_t,
                          const BleuOptions&, std::size_t, double*);
template void bleu_scores(std::span<const double>, std::span<const double>, std::size_t, const BleuOptions&,
                          std::size_t, double*);

}  // namespace isogloss::metric
