#include "features/weights.hpp"

#include <map>
#include <random>
#include <stdexcept>

#include "testing/test.hpp"

namespace {

using namespace isogloss::features;

// Half of the features lie close together, where the table is crowded and records must move.
std::uint64_t draw(std::mt19937_64& random) {
  const std::uint64_t any = random();
  return any % 2 == 0 ? any | 1 : (std::uint64_t{0xffffffff} << 32) + any % 2000 + 1;
}

TEST("weights and their sums are those of a plain map") {
  std::mt19937_64 random(1);
  WeightTable table;
  std::map<std::uint64_t, float> weights;
  std::map<std::uint64_t, double> sums;
  for (int step = 0; step < 40; ++step) {
    for (int change = 0; change < 200; ++change) {
      const std::uint64_t feature = draw(random);
      const float by = static_cast<float>(random() % 9) / 4 - 1;
      CHECK_EQUAL(table.add(feature, by), weights.count(feature) == 0);
      weights[feature] += by;
    }
    table.next_step();
    for (const auto& [feature, weight] : weights) sums[feature] += static_cast<double>(weight);
  }
  CHECK_EQUAL(table.size(), weights.size());
  std::size_t active = 0;
  for (const auto& [feature, weight] : weights) {
    CHECK_EQUAL(table.weight(feature), weight);
    active += weight != 0;
  }
  CHECK_EQUAL(table.active(), active);
  CHECK_EQUAL(table.weight(2), 0.0f);

  const WeightTable::Columns columns = table.columns();
  CHECK_EQUAL(columns.features.size(), weights.size());
  std::size_t at = 0;
  for (const auto& [feature, sum] : sums) {  // by ascending id
    CHECK_EQUAL(columns.features[at], feature);
    CHECK_NEAR(columns.sums[at++], sum, 1e-6);
  }
  WeightTable again;
  again.restore(columns.features, columns.weights, columns.sums, columns.checks, table.steps());
  again.add(columns.features[7], 1.0f);
  table.add(columns.features[7], 1.0f);
  again.next_step();
  table.next_step();
  CHECK(again.columns().sums == table.columns().sums);
  CHECK_THROWS(std::invalid_argument, "0 is not", table.add(0, 1.0f));
}

TEST("a feature that has the number of another one is noticed") {
  WeightTable table;
  table.add(5, 1.0f);
  CHECK(table.meet(5, 77));   // the first one is believed
  CHECK(table.meet(5, 77));
  CHECK(!table.meet(5, 78));
  CHECK(table.meet(6, 78));   // not there
  for (std::uint64_t feature = 100; feature < 5000; ++feature) table.add(feature << 40, 1.0f);
  CHECK(!table.meet(5, 78));  // still, after the table has grown
}

}  // namespace
