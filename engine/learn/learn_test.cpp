#include <algorithm>
#include <cmath>

#include "learn/batch_mira.hpp"
#include "learn/gram.hpp"
#include "learn/large_margin.hpp"
#include "learn/line_search.hpp"
#include "testing/test.hpp"

namespace {

using namespace isogloss;
using namespace isogloss::learn;

TEST("the Gram matrix moves the origin and keeps all distances") {
  const std::vector<double> dense{5, 1, 5, 3};  // two columns, two rows
  const std::vector<std::int64_t> offsets{0, 2, 4};
  const std::vector<std::uint32_t> columns{900000000, 7, 7, 8};
  const std::vector<float> values{2, 1, 1, 3};
  const std::vector<double> scores{0, 0};
  const FeatureRows rows{dense, 2, offsets, columns, values, scores};
  rows.check();
  const std::vector<double> gram = gram_matrix(rows);
  CHECK_NEAR(gram[0] + gram[3] - gram[1] - gram[2], 4 + 4 + 9, 1e-12);
}

TEST("a large-margin update of one pair is the closed form") {
  const std::vector<double> dense{3, 1}, scores{0, 0.5};
  const std::vector<std::int64_t> offsets{0, 0, 0};
  const FeatureRows rows{dense, 1, offsets, {}, {}, scores};
  const std::vector<MarginPair> pairs{{0, 1, 0.5}};
  const LargeMarginUpdate update = large_margin_update(rows, pairs, {.aggressiveness = 1});
  CHECK_NEAR(update.alphas[0], 0.25, 1e-12);
  CHECK_NEAR(update.coefficients[1], -0.25, 1e-12);
  CHECK_NEAR(update.primal, update.dual, 1e-12);
  const std::vector<MarginPair> foreign{{0, 2, 1}};
  CHECK_THROWS(std::invalid_argument, "does not exist", large_margin_update(rows, foreign, {}));
}

TEST("the duality gap closes where features are of very different sizes") {
  constexpr std::size_t kRows = 12, kColumns = 8;
  std::uint64_t state = 7;
  const auto random = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  };
  std::vector<double> dense, scores;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kColumns; ++k) dense.push_back(random() * std::pow(10.0, k) / 1000);
    scores.push_back(random());
  }
  const std::vector<std::int64_t> offsets(kRows + 1, 0);
  std::vector<MarginPair> pairs;
  for (std::uint32_t i = 0; i < kRows / 2; ++i)
    for (std::uint32_t j = kRows / 2; j < kRows; ++j) pairs.push_back({i, j, random() + 1});
  for (const bool slack_per_pair : {false, true}) {
    const FeatureRows rows{dense, kColumns, offsets, {}, {}, scores};
    const LargeMarginUpdate update =
        large_margin_update(rows, pairs, {.aggressiveness = 1, .slack_per_pair = slack_per_pair});
    CHECK_NEAR(update.primal, update.dual, 1e-7 * update.primal);
  }
}

TEST("a line search finds the upper envelope of every sentence") {
  const std::vector<std::int64_t> offsets{0, 3, 4};
  const std::vector<double> slopes{-1, 0, 1, 5}, statistics{10, 20, 30, 7};
  const LineSearch search(offsets, slopes, 1, statistics, 1);
  const std::vector<double> intercepts{0, 1, 0, 0};
  for (const LineChoices& found : {search.along_column(intercepts, 0), search.along(intercepts, slopes)}) {
    CHECK_EQUAL(found.thresholds.size(), std::size_t{2});
    CHECK_EQUAL(found.thresholds[0], -1.0);
    CHECK_EQUAL(found.thresholds[1], 1.0);
    CHECK_EQUAL(found.sums[0], 17.0);
    CHECK_EQUAL(found.sums[1], 27.0);
    CHECK_EQUAL(found.sums[2], 37.0);
  }
  CHECK_THROWS(std::invalid_argument, "no such column", search.along_column(intercepts, 1));
}

TEST("a line search skips what never wins and keeps the first of equals") {
  const std::vector<std::int64_t> offsets{0, 4};
  const std::vector<double> slopes{1, 1, 1, 0}, statistics{1, 2, 3, 4};
  const LineSearch search(offsets, slopes, 1, statistics, 1);
  const std::vector<double> intercepts{0, 2, 2, 1};
  const LineChoices found = search.along_column(intercepts, 0);
  CHECK_EQUAL(found.thresholds.size(), std::size_t{1});
  CHECK_EQUAL(found.thresholds[0], -1.0);
  CHECK_EQUAL(found.sums[0], 4.0);
  CHECK_EQUAL(found.sums[1], 2.0);
}

TEST("batch MIRA moves from fear to hope") {
  const std::vector<std::int64_t> sentences{0, 2}, offsets{0, 1, 2};
  const std::vector<double> features{1, 0}, statistics{1, 0};
  const std::vector<std::uint32_t> columns{0, 1};
  const std::vector<float> values{1, 1};
  const MiraList list{sentences, features, 1, offsets, columns, values, 2, statistics, 1};
  list.check();
  std::vector<double> dense{0}, sparse{0, 0}, corrections{0}, sparse_corrections{0, 0}, background{0};
  const std::vector<double> low{-1}, high{1}, zero{0};
  const MiraOptions options{0.1, 0.5, 1, low, high, zero, zero};
  MiraState state{dense, sparse, corrections, sparse_corrections, background};
  const MiraScorer scorer = [](const double* rows, std::size_t count, std::span<const double>, double* scores) {
    std::copy_n(rows, count, scores);
  };
  const std::vector<std::uint32_t> order{0, 0};
  BatchMira(list).visit(order, options, scorer, state);
  CHECK_NEAR(dense[0], 0.2, 1e-12);
  CHECK_NEAR(sparse[0], 0.2, 1e-12);
  CHECK_NEAR(sparse[1], -0.2, 1e-12);
  CHECK_NEAR(dense[0] - corrections[0] / 2, 0.15, 1e-12);
  CHECK_NEAR(background[0], 1.5, 1e-12);
  const std::vector<std::uint32_t> foreign{1};
  CHECK_THROWS(std::invalid_argument, "does not exist",
               BatchMira(list).visit(foreign, options, scorer, state));
}

}  // namespace
