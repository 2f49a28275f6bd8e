#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "adapt/error_update.hpp"
#include "adapt/example_index.hpp"
#include "adapt/margin_update.hpp"
#include "testing/test.hpp"

namespace isogloss::adapt {
namespace {

std::size_t slow_distance(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row.back();
}

TEST("the bit-parallel edit distance is the plain one, also past 64 tokens") {
  std::mt19937 random(3);
  EditDistance distance;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::uint16_t> a(random() % 150), b(random() % 150);
    for (auto* side : {&a, &b})
      for (std::uint16_t& token : *side) token = static_cast<std::uint16_t>(random() % 5);
    distance.set_pattern(a, 5);
    CHECK_EQUAL(distance(b), slow_distance(a, b));
  }
}

struct Corpus {
  std::vector<std::int64_t> offsets{0};
  std::vector<WordId> words;
  std::vector<double> idf;
  IndexColumns columns;

  Corpus(std::size_t sentences, std::size_t vocabulary, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < sentences; ++i) {
      for (std::size_t k = 0, length = 1 + random() % 9; k < length; ++k)
        words.push_back(static_cast<WordId>(std::min(random() % vocabulary, random() % vocabulary)));
      offsets.push_back(static_cast<std::int64_t>(words.size()));
    }
    for (std::size_t i = 0; i < vocabulary; ++i) idf.push_back(0.1 * static_cast<double>(i));
    columns = index_examples(offsets, words, idf);
  }

  IndexView view() const {
    const auto span = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };
    return {offsets, words, span(columns.norms), span(columns.posting_offsets), span(columns.postings),
            span(columns.posting_weights), span(columns.largest_weights)};
  }
};

TEST("the search finds what a comparison with all examples finds") {
  const Corpus corpus(3000, 30, 5);
  const IndexView index = corpus.view();
  Retrieval retrieval;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::uint16_t> tokens;
    std::vector<WordId> words;
    std::vector<double> idf;
    for (std::size_t i = 0, length = 1 + random() % 8; i < length; ++i) {
      const auto word = static_cast<WordId>(random() % 31);
      const auto at = static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
      if (at == words.size()) words.push_back(word), idf.push_back(word < 30 ? corpus.idf[word] : 3.0);
      tokens.push_back(static_cast<std::uint16_t>(at));
    }
    std::replace(words.begin(), words.end(), WordId{30}, kNoWord);
    const Query query{tokens, words, idf};
    SearchLimits limits;
    limits.most = 20;
    limits.edit_share = 0.1 * static_cast<double>(seed % 11);
    const std::vector<Found> found = retrieval.search(index, query, limits);
    std::vector<Found> all;
    for (std::uint32_t i = 0; i < index.examples(); ++i) {
      const double similarity = retrieval.similarity(index, query, limits.edit_share, i);
      if (similarity > 0) all.push_back({similarity, i});
    }
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      return a.similarity != b.similarity ? a.similarity > b.similarity : a.example > b.example;
    });
    all.resize(std::min<std::size_t>(all.size(), 20));
    CHECK_EQUAL(found.size(), all.size());
    for (std::size_t i = 0; i < std::min(found.size(), all.size()); ++i) {
      CHECK_EQUAL(found[i].example, all[i].example);
      CHECK_EQUAL(found[i].similarity, all[i].similarity);
    }
  }
}

TEST("an index that leads outside itself is an error, not a crash") {
  Corpus corpus(50, 5, 1);
  for (std::size_t i = 0; i < corpus.columns.postings.size(); ++i) corpus.columns.postings[i] = 1u << 30;
  const std::vector<std::uint16_t> tokens{0, 1};
  const std::vector<WordId> words{1, 2};
  const std::vector<double> idf{1.0, 2.0};
  Retrieval retrieval;
  CHECK_THROWS(std::out_of_range, "inconsistent", retrieval.search(corpus.view(), {tokens, words, idf}, {}));
}

TEST("both updates lower their objectives, and do nothing without strength") {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> dense(60 * 4), gains(60), baseline{0.3, -0.2, 0.1, 0.4}, strengths(6, 0.05), none(6, 0.0);
  for (double& value : dense) value = normal(random);
  for (double& value : gains) value = normal(random);
  const std::vector<std::int64_t> offsets{0, 10, 20, 30, 40, 50, 60};
  CandidateLists lists;
  lists.offsets = offsets;
  lists.dense = dense;
  lists.dense_size = 4;
  const std::vector<double> zero(4, 0.0);
  const MarginResult margin = margin_update(lists, gains, strengths, baseline, {});
  CHECK(margin.gap <= 1e-8);
  CHECK(margin.objective < margin_objective(lists, gains, strengths, baseline, zero));
  CHECK(margin_update(lists, gains, none, baseline, {}).change == zero);
  std::vector<std::int32_t> statistics;
  for (std::size_t row = 0; row < 60; ++row) {
    const auto matches = static_cast<std::int32_t>(random() % 5);
    for (std::int32_t count : {8, 9, matches + 3, matches + 2, matches + 1, matches, 8, 7, 6, 5}) statistics.push_back(count);
  }
  const ExpectedError of_each(gains);
  const ExpectedBleu of_all(statistics, 4);
  for (const ExpectedLoss* loss : {static_cast<const ExpectedLoss*>(&of_each), static_cast<const ExpectedLoss*>(&of_all)}) {
    const ErrorResult error = error_update(lists, *loss, strengths, baseline, {}, {});
    CHECK(error.objective < error.start);
    CHECK(error_update(lists, *loss, none, baseline, {}, {}).change == zero);
  }
  CHECK_THROWS(std::invalid_argument, "one gain", margin_update(lists, zero, strengths, baseline, {}));
}

}  // namespace
}  // namespace isogloss::adapt
