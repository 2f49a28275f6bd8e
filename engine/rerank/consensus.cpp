#include "rerank/consensus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "base/parallel.hpp"
#include "metric/bleu.hpp"
#include "metric/ter.hpp"

namespace isogloss::rerank {
namespace {

struct Counted {
  std::uint32_t ngram;
  std::uint32_t count;
};

/// The n-grams of a sentence's candidates, numbered from 0.
struct NgramIndex {
  struct Ngram {
    std::uint32_t prefix;  // number of the first n − 1 words
    WordId word;
    std::uint64_t hash() const { return mix64(std::uint64_t{prefix} << 32 | word); }
    bool operator==(const Ngram&) const = default;
  };
  Interner<Ngram> ngrams;
  std::vector<std::uint8_t> order_of;
  std::vector<std::vector<Counted>> rows;
  std::vector<double> lengths;

  void assign(const metric::Segments& candidates, std::int64_t first, std::int64_t last, std::size_t order) {
    ngrams.clear();
    order_of.clear();
    rows.resize(static_cast<std::size_t>(last - first));
    lengths.clear();
    std::vector<std::uint32_t> found;
    for (std::int64_t c = first; c < last; ++c) {
      const auto words = candidates.tokens(c);
      found.clear();
      for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t prefix = kRoot;
        for (std::size_t n = 0; n < order && i + n < words.size(); ++n) {
          prefix = number(prefix, words[i + n], n);
          found.push_back(prefix);
        }
      }
      std::sort(found.begin(), found.end());
      auto& row = rows[static_cast<std::size_t>(c - first)];
      row.clear();
      for (const std::uint32_t ngram : found) {
        if (!row.empty() && row.back().ngram == ngram) ++row.back().count;
        else row.push_back({ngram, 1});
      }
      lengths.push_back(static_cast<double>(words.size()));
    }
  }

 private:
  static constexpr std::uint32_t kRoot = 0xFFFFFFFFu;

  std::uint32_t number(std::uint32_t prefix, WordId word, std::size_t n) {
    const std::uint32_t ngram = ngrams.number({prefix, word});
    if (ngram == order_of.size()) order_of.push_back(static_cast<std::uint8_t>(n));
    return ngram;
  }
};

using Counts = std::array<double, kMaxConsensusOrder>;

Counts ngrams_in(double length, std::size_t order) {
  Counts counts{};
  for (std::size_t n = 0; n < order; ++n) counts[n] = std::max(length - static_cast<double>(n), 0.0);
  return counts;
}

double bleu_of(const Counts& matched, double length, double reference_length, std::size_t order) {
  std::array<double, metric::bleu_columns(kMaxConsensusOrder)> row{};
  const Counts totals = ngrams_in(length, order);
  row[0] = length;
  row[1] = reference_length;
  for (std::size_t n = 0; n < order; ++n) {
    row[2 + n] = matched[n];
    row[2 + order + n] = totals[n];
  }
  double score = 0;
  metric::bleu_scores<double>(std::span<const double>(row.data(), metric::bleu_columns(order)), {}, order,
                              {metric::BleuSmoothing::kExponential, 0, true}, 1, &score);
  return score;
}

double chrf_of(const Counts& matched, double length, const Counts& other, std::size_t order) {
  const Counts own = ngrams_in(length, order);
  double precision = 0, recall = 0, orders = 0;
  for (std::size_t n = 0; n < order; ++n) {
    if (own[n] == 0 || other[n] == 0) continue;
    precision += matched[n] / own[n];
    recall += matched[n] / other[n];
    ++orders;
  }
  if (precision + recall == 0) return 0;
  return 5 * (precision / orders) * (recall / orders) / (4 * precision / orders + recall / orders);
}

struct Worker {
  NgramIndex index;
  std::vector<double> posterior;        // by n-gram
  metric::EditRate edit_rate;
  std::vector<std::uint32_t> counts;    // by n-gram, of the reference at hand
};

void posteriors_of(const metric::Segments& candidates, std::span<const double> probabilities, std::size_t sentence,
                   std::size_t order, Worker& worker, double* means) {
  const auto [first, last] = candidates.sequences_of(sentence);
  worker.index.assign(candidates, first, last, order);
  worker.posterior.assign(worker.index.order_of.size(), 0.0);
  for (std::size_t j = 0; j < worker.index.rows.size(); ++j)
    for (const Counted& entry : worker.index.rows[j])
      worker.posterior[entry.ngram] += probabilities[static_cast<std::size_t>(first) + j];
  for (std::size_t j = 0; j < worker.index.rows.size(); ++j) {
    double* const row = means + (static_cast<std::size_t>(first) + j) * order;
    const Counts totals = ngrams_in(worker.index.lengths[j], order);
    std::fill(row, row + order, 0.0);
    for (const Counted& entry : worker.index.rows[j])
      row[worker.index.order_of[entry.ngram]] += entry.count * worker.posterior[entry.ngram];
    for (std::size_t n = 0; n < order; ++n) row[n] = totals[n] > 0 ? row[n] / totals[n] : 0;
  }
}

std::vector<std::size_t> most_probable(std::span<const double> own, std::size_t most) {
  std::vector<std::size_t> references(own.size());
  std::iota(references.begin(), references.end(), std::size_t{0});
  std::stable_sort(references.begin(), references.end(), [&](auto a, auto b) { return own[a] > own[b]; });
  if (most > 0 && references.size() > most) references.resize(most);
  return references;
}

void edit_utilities_of(const metric::Segments& candidates, std::span<const double> probabilities,
                       std::size_t sentence, std::size_t most, Worker& worker, double* utilities) {
  const auto [first, last] = candidates.sequences_of(sentence);
  const auto own = probabilities.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  const auto references = most_probable(own, most);
  double mass = 0;
  for (const std::size_t reference : references) mass += own[reference];
  for (std::int64_t c = first; c < last; ++c) {
    double sum = 0;
    for (const std::size_t reference : references) {
      const auto words = candidates.tokens(first + static_cast<std::int64_t>(reference));
      const double edits = worker.edit_rate.edits(candidates.tokens(c), words);
      const double rate = words.empty() ? (edits > 0 ? 1 : 0) : edits / static_cast<double>(words.size());
      sum += own[reference] * (1 - rate);
    }
    utilities[c] = mass > 0 ? sum / mass : 0;
  }
}

void aggregate_of(const metric::Segments& candidates, std::span<const double> probabilities, std::size_t sentence,
                  Utility utility, std::size_t order, Worker& worker, double* utilities) {
  const auto [first, last] = candidates.sequences_of(sentence);
  NgramIndex& index = worker.index;
  index.assign(candidates, first, last, order);
  std::vector<double>& expected = worker.posterior;
  expected.assign(index.order_of.size(), 0.0);
  double length = 0;
  Counts totals{};
  for (std::size_t j = 0; j < index.rows.size(); ++j) {
    const double share = probabilities[static_cast<std::size_t>(first) + j];
    for (const Counted& entry : index.rows[j]) expected[entry.ngram] += share * entry.count;
    const Counts own = ngrams_in(index.lengths[j], order);
    for (std::size_t n = 0; n < order; ++n) totals[n] += share * own[n];
    length += share * index.lengths[j];
  }
  for (std::size_t j = 0; j < index.rows.size(); ++j) {
    Counts matched{};
    for (const Counted& entry : index.rows[j])
      matched[index.order_of[entry.ngram]] += std::min(static_cast<double>(entry.count), expected[entry.ngram]);
    utilities[first + static_cast<std::int64_t>(j)] = utility == Utility::kBleu
                                                          ? bleu_of(matched, index.lengths[j], length, order)
                                                          : chrf_of(matched, index.lengths[j], totals, order);
  }
}

void utilities_of(const metric::Segments& candidates, std::span<const double> probabilities, std::size_t sentence,
                  Utility utility, std::size_t order, std::size_t most, Worker& worker, double* utilities) {
  const auto [first, last] = candidates.sequences_of(sentence);
  const auto own = probabilities.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  NgramIndex& index = worker.index;
  index.assign(candidates, first, last, order);
  worker.counts.assign(index.order_of.size(), 0);
  const auto references = most_probable(own, most);
  double* const sums = utilities + first;
  std::fill(sums, sums + own.size(), 0.0);
  double mass = 0;
  for (const std::size_t reference : references) {
    mass += own[reference];
    for (const Counted& entry : index.rows[reference]) worker.counts[entry.ngram] = entry.count;
    for (std::size_t j = 0; j < own.size(); ++j) {
      Counts matched{};
      for (const Counted& entry : index.rows[j])
        matched[index.order_of[entry.ngram]] += std::min(entry.count, worker.counts[entry.ngram]);
      const double length = index.lengths[j], reference_length = index.lengths[reference];
      sums[j] += own[reference] * (utility == Utility::kBleu
                                       ? bleu_of(matched, length, reference_length, order)
                                       : chrf_of(matched, length, ngrams_in(reference_length, order), order));
    }
    for (const Counted& entry : index.rows[reference]) worker.counts[entry.ngram] = 0;
  }
  for (std::size_t j = 0; mass > 0 && j < own.size(); ++j) sums[j] /= mass;
}

template <class Work>
void for_sentences(const metric::Segments& candidates, std::size_t threads, Work&& work) {
  std::vector<Worker> workers(std::clamp<std::size_t>(threads, 1, candidates.sentences() + 1));
  parallel_for(candidates.sentences(), threads,
               [&](std::size_t sentence, std::size_t worker) { work(sentence, workers[worker]); });
}

}  // namespace

void ngram_posteriors(const metric::Segments& candidates, std::span<const double> probabilities, std::size_t order,
                      std::size_t threads, double* means) {
  for_sentences(candidates, threads, [&](std::size_t sentence, Worker& worker) {
    posteriors_of(candidates, probabilities, sentence, order, worker, means);
  });
}

void expected_utilities(const metric::Segments& candidates, std::span<const double> probabilities, Utility utility,
                        std::size_t order, std::size_t references, std::size_t threads, double* utilities) {
  for_sentences(candidates, threads, [&](std::size_t sentence, Worker& worker) {
    if (utility == Utility::kTer)
      edit_utilities_of(candidates, probabilities, sentence, references, worker, utilities);
    else
      utilities_of(candidates, probabilities, sentence, utility, order, references, worker, utilities);
  });
}

void aggregate_utilities(const metric::Segments& candidates, std::span<const double> probabilities, Utility utility,
                         std::size_t order, std::size_t threads, double* utilities) {
  for_sentences(candidates, threads, [&](std::size_t sentence, Worker& worker) {
    aggregate_of(candidates, probabilities, sentence, utility, order, worker, utilities);
  });
}

}  // namespace isogloss::rerank
