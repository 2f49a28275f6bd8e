#include "features/event_pool.hpp"

#include <map>
#include <random>
#include <stdexcept>

#include "testing/test.hpp"

namespace {

using namespace isogloss::features;

using Row = std::map<std::uint64_t, float>;  // events with counts, or features

struct Rows {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint64_t> events;
  std::vector<float> counts;

  void add(const Row& row) {
    for (const auto& [event, count] : row) {
      events.push_back(event);
      counts.push_back(count);
    }
    offsets.push_back(static_cast<std::int64_t>(events.size()));
  }
};

TEST("events keep their numbers and features while the pool grows") {
  EventPool pool;
  for (std::uint64_t round = 0; round < 2; ++round)
    for (std::uint64_t key = 0; key < 3000; ++key) {
      const std::vector<std::uint64_t> features(key % 5, key + 1);
      CHECK_EQUAL(pool.number(key, [&] { return std::span<const std::uint64_t>(features); }), key);
    }
  CHECK_EQUAL(pool.size(), std::size_t{3000});
  CHECK_EQUAL(pool.features(1234).size(), std::size_t{4});
  CHECK_EQUAL(pool.features(1234)[0], std::uint64_t{1235});
  CHECK_EQUAL(pool.features(1230).size(), std::size_t{0});
  CHECK_THROWS(std::out_of_range, "no such event", pool.features(3000));
}

TEST("a pool of some events has these alone, under new numbers") {
  EventPool pool;
  for (std::uint64_t key = 10; key < 20; ++key) {
    const std::vector<std::uint64_t> features{key, key * 2};
    pool.number(key, [&] { return std::span<const std::uint64_t>(features); });
  }
  const std::vector<std::uint64_t> kept{7, 2};
  const std::vector<std::uint32_t> numbers = pool.keep(kept);
  CHECK_EQUAL(pool.size(), std::size_t{2});
  CHECK_EQUAL(numbers[7], 0u);
  CHECK_EQUAL(numbers[2], 1u);
  CHECK_EQUAL(numbers[3], EventPool::kGone);
  CHECK_EQUAL(pool.keys()[1], std::uint64_t{12});
  CHECK_EQUAL(pool.features(0)[1], std::uint64_t{34});
  const EventPool again(pool.keys(), pool.offsets(), pool.features());
  CHECK_EQUAL(again.size(), std::size_t{2});
  CHECK_EQUAL(again.features(1)[0], std::uint64_t{12});
}

TEST("rows differ as their features do") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    EventPool pool;
    std::vector<std::vector<std::uint64_t>> features(1 + random() % 6);
    for (std::size_t event = 0; event < features.size(); ++event) {
      for (std::uint64_t k = random() % 4; k > 0; --k) features[event].push_back(1 + random() % 8);
      pool.number(event, [&] { return std::span<const std::uint64_t>(features[event]); });
    }
    Rows rows;
    std::vector<Row> full(1 + random() % 4);
    for (Row& whole : full) {
      Row row;
      for (std::size_t event = 0; event < features.size(); ++event)
        if (random() % 2 == 0) row[event] = static_cast<float>(1 + random() % 2);
      rows.add(row);
      for (const auto& [event, count] : row)
        for (std::uint64_t feature : features[event]) whole[feature] += count;
    }
    WeightTable weights;
    for (std::uint64_t feature = 1; feature < 9; ++feature) weights.add(feature, static_cast<float>(feature));
    const DifferentFeatures found =
        different_features(pool, rows.offsets, rows.events, rows.counts, weights.view());
    std::vector<Row> left(full.size());
    for (std::size_t row = 0; row < full.size(); ++row)
      for (auto i = found.offsets[row]; i < found.offsets[row + 1]; ++i)
        left[row][found.features[found.columns[static_cast<std::size_t>(i)]]] +=
            found.counts[static_cast<std::size_t>(i)];
    for (std::size_t row = 0; row < full.size(); ++row) {
      double sum = 0;
      for (const auto& [feature, count] : left[row]) sum += static_cast<double>(count) * static_cast<double>(feature);
      CHECK_NEAR(found.sums[row], sum, 1e-9);
      for (std::uint64_t feature = 1; feature < 9; ++feature)
        CHECK_EQUAL(left[row][feature] - left[0][feature], full[row][feature] - full[0][feature]);
    }
  }
}

TEST("rows of other pools are refused") {
  const std::vector<std::uint64_t> keys{5, 6}, features{7, 8}, events{2};
  const std::vector<std::int64_t> offsets{0, 1, 2}, row{0, 1}, beyond{0, 2};
  const std::vector<float> counts{1};
  const EventPool pool(keys, offsets, features);
  const WeightTable none;
  CHECK_THROWS(std::out_of_range, "no such event", different_features(pool, row, events, counts, none.view()));
  CHECK_THROWS(std::invalid_argument, "offsets", different_features(pool, beyond, events, counts, none.view()));
  const std::vector<std::uint64_t> twice{5, 5};
  CHECK_THROWS(std::invalid_argument, "twice", EventPool(twice, offsets, features));
}

}  // namespace
