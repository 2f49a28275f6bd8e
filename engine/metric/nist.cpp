#include "metric/nist.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "metric/ngram_counts.hpp"
#include "metric/reference_ngrams.hpp"

namespace isogloss::metric {
namespace {

struct NistWorker {
  ReferenceNgrams ngrams;
  std::vector<NgramCounts::Node> nodes;  // by n-gram
  std::vector<double> information;       // by n-gram
};

void weigh(const NgramCounts& counts, NistWorker& worker) {
  worker.nodes.resize(worker.ngrams.size());
  worker.information.resize(worker.ngrams.size());
  worker.ngrams.for_each([&](auto prefix, WordId word, auto ngram) {
    const auto parent = prefix == ReferenceNgrams::kRoot ? NgramCounts::kRoot : worker.nodes[prefix];
    const auto node = counts.find(parent, word);
    worker.nodes[ngram] = node;
    worker.information[ngram] =
        std::log2(static_cast<double>(counts.count(parent)) / static_cast<double>(counts.count(node)));
  });
}

double mean_length(const Segments& references, std::size_t sentence) {
  const auto [first, last] = references.sequences_of(sentence);
  double sum = 0;
  for (std::int64_t r = first; r < last; ++r) sum += static_cast<double>(references.tokens(r).size());
  return sum / static_cast<double>(last - first);
}

void score_sentence(const Segments& candidates, const Segments& references, std::size_t sentence,
                    std::size_t order, const NgramCounts& counts, NistWorker& worker, double* rows) {
  const auto [first, last] = candidates.sequences_of(sentence);
  if (first == last) return;
  worker.ngrams.assign(references, sentence, order);
  weigh(counts, worker);
  const double reference_length = mean_length(references, sentence);
  for (std::int64_t c = first; c < last; ++c) {
    const std::span<const WordId> words = candidates.tokens(c);
    const auto size = static_cast<double>(words.size());
    std::array<double, kMaxNgramOrder + 1> matched{};
    worker.ngrams.match(words, [&](std::size_t n, auto ngram) { matched[n] += worker.information[ngram]; });
    double* row = rows + static_cast<std::size_t>(c) * nist_columns(order);
    row[0] = size;
    row[1] = reference_length;
    for (std::size_t n = 1; n <= order; ++n) {
      row[1 + n] = matched[n];
      row[1 + order + n] = std::max(size - static_cast<double>(n) + 1, 0.0);
    }
  }
}

}  // namespace

void nist_statistics(const Segments& candidates, const Segments& references, std::size_t order,
                     std::size_t threads, double* rows) {
  NgramCounts counts;
  const auto first = references.sentence_offsets.front(), last = references.sentence_offsets.back();
  for (std::int64_t r = first; r < last; ++r) counts.add(references.tokens(r), order);
  std::vector<NistWorker> workers(std::clamp<std::size_t>(threads, 1, candidates.sentences() + 1));
  parallel_for(candidates.sentences(), threads, [&](std::size_t sentence, std::size_t worker) {
    score_sentence(candidates, references, sentence, order, counts, workers[worker], rows);
  });
}

}  // namespace isogloss::metric
