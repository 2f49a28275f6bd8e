#include "metric/chrf.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/parallel.hpp"
#include "metric/reference_ngrams.hpp"

namespace isogloss::metric {
namespace {

void score_sentence(const Segments& candidates, const Segments& references, std::size_t sentence, std::size_t order,
                    std::vector<ReferenceNgrams>& ngrams, std::int32_t* rows) {
  const auto [first, last] = candidates.sequences_of(sentence);
  if (first == last) return;
  const auto [first_reference, last_reference] = references.sequences_of(sentence);
  const std::size_t count = static_cast<std::size_t>(last_reference - first_reference);
  if (ngrams.size() < count) ngrams.resize(count);
  for (std::size_t r = 0; r < count; ++r) {
    const std::array<std::int64_t, 2> one{first_reference + static_cast<std::int64_t>(r),
                                          first_reference + static_cast<std::int64_t>(r) + 1};
    ngrams[r].assign({references.ids, references.offsets, one}, 0, order);
  }
  std::array<std::int32_t, chrf_columns(kMaxNgramOrder)> row{};
  for (std::int64_t c = first; c < last; ++c) {
    const std::span<const WordId> characters = candidates.tokens(c);
    std::int32_t* const best = rows + static_cast<std::size_t>(c) * chrf_columns(order);
    double best_score = -1;
    for (std::size_t r = 0; r < count; ++r) {
      const auto length = references.tokens(first_reference + static_cast<std::int64_t>(r)).size();
      for (std::size_t n = 0; n < order; ++n) {
        const auto in_reference = static_cast<std::int32_t>(length > n ? length - n : 0);
        const auto in_candidate = static_cast<std::int32_t>(characters.size() > n ? characters.size() - n : 0);
        row[3 * n] = in_reference > 0 ? in_candidate : 0;
        row[3 * n + 1] = in_reference;
        row[3 * n + 2] = 0;
      }
      ngrams[r].match(characters, [&](std::size_t n, auto) { ++row[3 * n - 1]; });
      const std::span<const std::int32_t> counts(row.data(), chrf_columns(order));
      const double score = count == 1 ? 0 : chrf_score(counts);
      if (score > best_score) {
        best_score = score;
        std::copy(counts.begin(), counts.end(), best);
      }
    }
  }
}

}  // namespace

void chrf_statistics(const Segments& candidates, const Segments& references, std::size_t order, std::size_t threads,
                     std::int32_t* rows) {
  std::vector<std::vector<ReferenceNgrams>> workers(std::clamp<std::size_t>(threads, 1, candidates.sentences() + 1));
  parallel_for(candidates.sentences(), threads, [&](std::size_t sentence, std::size_t worker) {
    score_sentence(candidates, references, sentence, order, workers[worker], rows);
  });
}

}  // namespace isogloss::metric
