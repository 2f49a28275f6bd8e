#include "learn/relevant_set.hpp"

#include <cmath>

#include "testing/test.hpp"

namespace {

using namespace isogloss;
using namespace isogloss::learn;

TEST("weights that shrink by a common scale, and their mean, are those that are shrunk one by one") {
  ScaledWeights weights;
  weights.grow(3);
  std::vector<double> plain(3, 0.0), sums(3, 0.0);
  for (std::size_t step = 0; step < 200; ++step) {
    const double factor = step % 3 == 0 ? 0.5 : 1.0, change = static_cast<double>(step % 7) - 3;
    weights.shrink(factor);
    weights.add(step % 3, change);
    for (double& value : plain) value *= factor;
    plain[step % 3] += change;
    weights.next_step();
    for (std::size_t i = 0; i < 3; ++i) sums[i] += plain[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK_NEAR(weights.now()[i], plain[i], 1e-12);
    CHECK_NEAR(weights.mean()[i], sums[i] / 200, 1e-9);
  }
  CHECK_EQUAL(weights.steps(), std::size_t{200});
}

TEST("features get columns as they come and become active when they were seen often enough") {
  SequenceRows rows(1, 2);
  const std::vector<std::uint64_t> first{3, 0xfffffffffffffff1ULL}, second{3, 9};
  const std::vector<float> counts{1, 2};
  const std::vector<double> real{0.5};
  rows.add({first, counts, real});
  CHECK_EQUAL(rows.take_activated().size(), std::size_t{0});
  rows.add({second, counts, real});
  const auto activated = rows.take_activated();
  CHECK_EQUAL(activated.size(), std::size_t{1});
  CHECK_EQUAL(activated[0], std::uint64_t{3});
  CHECK_EQUAL(rows.columns(), std::size_t{4});
  CHECK(rows.active(0) && rows.active(rows.find(3)) && !rows.active(rows.find(9)));
  CHECK_EQUAL(rows.find(8), SequenceRows::kNoColumn);
  CHECK_EQUAL(rows.row(1).columns.size(), std::size_t{3});
  const std::vector<std::uint64_t> falling{9, 3};
  CHECK_THROWS(std::invalid_argument, "ascending order", rows.add({falling, counts, real}));
}

TEST("many columns are found again") {
  SequenceRows rows(0, 1);
  const std::vector<float> one{1};
  for (std::uint64_t feature = 1; feature <= 5000; ++feature) {
    const std::vector<std::uint64_t> features{feature * 0x9e3779b97f4a7c15ULL};
    rows.add({features, one, {}});
  }
  for (std::uint64_t feature = 1; feature <= 5000; ++feature)
    CHECK_EQUAL(rows.find(feature * 0x9e3779b97f4a7c15ULL), static_cast<SequenceRows::Column>(feature - 1));
}

TEST("a step moves the weights toward the truth and away from the most costly alternative") {
  RelevantSet set(1, 1, 0, 1);
  const std::vector<float> one{1};
  const std::vector<std::vector<std::uint64_t>> features{{1}, {2}, {3}};
  CHECK(set.add(0, {features[0], one, {}}, 0.9, true) == RelevantSet::Role::kTruth);
  CHECK(set.add(0, {features[1], one, {}}, 0.5, false) == RelevantSet::Role::kAlternative);
  CHECK(set.add(0, {features[2], one, {}}, 0.1, false) == RelevantSet::Role::kAlternative);
  CHECK(set.add(0, {features[2], one, {}}, 0.1, false) == RelevantSet::Role::kKnown);
  CHECK_NEAR(set.losses(1)[0], 0.8, 1e-12);
  const std::vector<std::uint32_t> order{0};
  const SgdPass pass = set.sweep(order, {.learning_rate = 0.25});
  CHECK_EQUAL(pass.updates, std::size_t{1});
  CHECK_NEAR(set.weights()[0], 0.2, 1e-12);
  CHECK_NEAR(set.weights()[1], 0.0, 1e-12);
  CHECK_NEAR(set.weights()[2], -0.2, 1e-12);
}

}  // namespace
