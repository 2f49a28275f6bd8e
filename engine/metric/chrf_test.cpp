#include "metric/chrf.hpp"

#include <cmath>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::metric;

TEST("of several references the one with the highest chrF counts") {
  // The candidate "abc" against "abd" and "abcd".
  const std::vector<WordId> hypothesis_ids{1, 2, 3}, reference_ids{1, 2, 4, 1, 2, 3, 4};
  const std::vector<std::int64_t> hypothesis_offsets{0, 3}, reference_offsets{0, 3, 7};
  const std::vector<std::int64_t> sentences{0, 1}, reference_sentences{0, 2};
  const Segments candidates{hypothesis_ids, hypothesis_offsets, sentences};
  const Segments references{reference_ids, reference_offsets, reference_sentences};
  check_segments(candidates, references);
  std::vector<std::int32_t> rows(chrf_columns(4));
  chrf_statistics(candidates, references, 4, 1, rows.data());
  const std::vector<std::int32_t> expected{3, 4, 3, 2, 3, 2, 1, 2, 1, 0, 1, 0};
  CHECK(rows == expected);
  const double precision = 1, recall = (3.0 / 4 + 2.0 / 3 + 1.0 / 2) / 3;
  CHECK(std::abs(chrf_score<std::int32_t>(rows) - 5 * precision * recall / (4 * precision + recall)) < 1e-12);
}

TEST("n-grams longer than the reference are not counted at all") {
  const std::vector<WordId> hypothesis_ids{1, 2, 3}, reference_ids{1};
  const std::vector<std::int64_t> hypothesis_offsets{0, 3}, reference_offsets{0, 1}, sentences{0, 1};
  std::vector<std::int32_t> rows(chrf_columns(2));
  chrf_statistics({hypothesis_ids, hypothesis_offsets, sentences}, {reference_ids, reference_offsets, sentences}, 2, 1,
                  rows.data());
  CHECK(rows == (std::vector<std::int32_t>{3, 1, 1, 0, 0, 0}));
}
