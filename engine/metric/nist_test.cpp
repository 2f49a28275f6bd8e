#include "metric/nist.hpp"

#include <cmath>
#include <vector>

#include "metric/ngram_counts.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::metric;

TEST("n-gram counts survive growth and start from the number of words") {
  NgramCounts counts;
  std::vector<WordId> words;
  for (WordId i = 0; i < 3000; ++i) words.push_back(i);
  counts.add(words, 3);
  counts.add(words, 3);
  CHECK_EQUAL(counts.count(NgramCounts::kRoot), 6000u);
  for (WordId i = 0; i + 2 < 3000; ++i) {
    const auto unigram = counts.find(NgramCounts::kRoot, i);
    const auto bigram = counts.find(unigram, i + 1);
    const auto trigram = counts.find(bigram, i + 2);
    CHECK(trigram != NgramCounts::kNone);
    CHECK_EQUAL(counts.count(trigram), 2u);
  }
  CHECK_EQUAL(counts.find(NgramCounts::kRoot, 3000), NgramCounts::kNone);
}

TEST("matched n-grams are weighed by their information in all references") {
  // Two sentences; five words in all references, word 1 three times, the bigram 1 2 once.
  const std::vector<WordId> hypothesis_ids{1, 2, 1}, reference_ids{1, 2, 1, 1, 3};
  const std::vector<std::int64_t> hypothesis_offsets{0, 2, 3}, reference_offsets{0, 2, 3, 5};
  const std::vector<std::int64_t> sentences{0, 1, 2}, reference_sentences{0, 1, 3};
  const Segments candidates{hypothesis_ids, hypothesis_offsets, sentences};
  const Segments references{reference_ids, reference_offsets, reference_sentences};
  check_segments(candidates, references);
  std::vector<double> rows(2 * nist_columns(2));
  nist_statistics(candidates, references, 2, 2, rows.data());
  const double one = std::log2(5.0 / 3), two = std::log2(5.0), both = std::log2(3.0);
  const std::vector<double> expected{2, 2, one + two, both, 2, 1, 1, 1.5, one, 0, 1, 0};
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK_NEAR(rows[i], expected[i], 1e-12);
}
