#include <array>
#include <cstdint>
#include <vector>

#include "rerank/consensus.hpp"
#include "rerank/lists.hpp"
#include "rerank/ordinal.hpp"
#include "rerank/splitting.hpp"
#include "rerank/sweep.hpp"
#include "rerank/voted.hpp"
#include "rerank/weights.hpp"
#include "testing/test.hpp"

namespace isogloss::rerank {
namespace {

constexpr std::array<std::int64_t, 4> kOffsets{0, 3, 3, 5};
constexpr std::array<double, 10> kDense{1, 0, 0, 1, 1, 1, 2, 0, 0, 2};
constexpr std::array<double, 5> kQuality{0.5, 0.1, 0.5, 0.2, 0.9};

Lists lists() {
  Lists found;
  found.sentence_offsets = kOffsets;
  found.dense = kDense;
  found.columns = 2;
  found.check();
  return found;
}

TEST("scores are relative to the first candidate, and an empty sentence has none") {
  std::vector<double> scores(3);
  lists().score(0, std::array{2.0, 3.0}, scores);
  CHECK_EQUAL(scores[0], 0.0);
  CHECK_EQUAL(scores[1], 1.0);
  CHECK_EQUAL(scores[2], 3.0);
  lists().score(1, std::array{2.0, 3.0}, {});
}

template <class Method>
void run(Method method) {
  const Lists given = lists();
  Weights weights(std::vector<double>(2), 2, {1, 1, 1});
  const std::array<std::int64_t, 3> order{2, 1, 0};
  for (int i = 0; i < 3; ++i) sweep(method, given, order, weights);
  CHECK_EQUAL(weights.steps(), 9u);
  CHECK_EQUAL(weights.average().size(), 2u);
  CHECK(pair_totals(method, given, weights.current()).pairs >= 0);
  const std::array<std::int64_t, 1> outside{3};
  CHECK_THROWS(std::out_of_range, "no sentence", sweep(method, given, outside, weights));
}

TEST("every method sweeps over lists with empty sentences") {
  run(Splitting(lists(), kQuality, {}, {}, 1.0));
  run(Ordinal(lists(), kQuality, {1, 0}, 1.0));
  run(Voted(lists(), kQuality));
  const Lists given = lists();
  run(Perceptron(given, kQuality));
}

TEST("offsets and columns that do not fit are refused") {
  Lists broken = lists();
  broken.columns = 3;
  CHECK_THROWS(std::invalid_argument, "sentences", broken.check());
  const std::array<std::int64_t, 6> offsets{0, 1, 1, 1, 1, 1};
  const std::array<std::uint32_t, 1> columns{7};
  const std::array<float, 1> values{1};
  broken = lists();
  broken.sparse_offsets = offsets;
  broken.sparse_columns = columns;
  broken.sparse_values = values;
  broken.sparse_size = 7;
  CHECK_THROWS(std::invalid_argument, "does not exist", broken.check());
}

TEST("consensus of a list with an empty candidate") {
  const std::array<WordId, 3> ids{4, 5, 4};
  const std::array<std::int64_t, 4> offsets{0, 2, 3, 3};
  const std::array<std::int64_t, 2> sentences{0, 3};
  const std::array<double, 3> probabilities{0.5, 0.25, 0.25};
  const metric::Segments segments{ids, offsets, sentences};
  std::vector<double> means(6), utilities(3);
  ngram_posteriors(segments, probabilities, 2, 1, means.data());
  CHECK_NEAR(means[0], (0.75 + 0.5) / 2, 1e-12);
  CHECK_NEAR(means[1], 0.5, 1e-12);
  CHECK_EQUAL(means[4], 0.0);
  expected_utilities(segments, probabilities, Utility::kChrf, 6, 2, 2, utilities.data());
  CHECK(utilities[0] > utilities[1] && utilities[1] > utilities[2]);
}

}  // namespace
}  // namespace isogloss::rerank
