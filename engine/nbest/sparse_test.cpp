#include "nbest/sparse.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::nbest;

namespace {

struct Columns {
  std::vector<std::int64_t> candidate_offsets = {0, 2, 2, 3};
  std::vector<std::uint32_t> events = {1, 0, 0};
  std::vector<float> event_counts = {2, 1, 3};
  std::vector<std::int64_t> event_offsets = {0, 2, 3};
  std::vector<std::uint32_t> features = {7, 5, 5};
  std::vector<float> feature_values = {1, 10, 100};

  SparseView view() const {
    return {candidate_offsets, events, event_counts, event_offsets, features, feature_values};
  }
};

}  // namespace

TEST("events are multiplied out, by rising column and added up") {
  const Columns columns;
  columns.view().check();
  Ragged<std::uint32_t> features;
  Buffer<float> values;
  const std::vector<std::int64_t> rows = {2, 0, 1};
  materialize(columns.view(), rows, features, values);
  const std::vector<std::int64_t> offsets = {0, 2, 4, 4};
  const std::vector<std::uint32_t> expected = {5, 7, 5, 7};
  const std::vector<float> sums = {30, 3, 210, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_EQUAL(features.offsets[i], offsets[i]);
    CHECK_EQUAL(features.values[i], expected[i]);
    CHECK_EQUAL(values[i], sums[i]);
  }
}

TEST("rows, events and offsets that do not exist are refused") {
  const Columns good;
  Ragged<std::uint32_t> features;
  Buffer<float> values;
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{3}, std::numeric_limits<std::int64_t>::max()}) {
    const std::vector<std::int64_t> rows = {row};
    CHECK_THROWS(std::out_of_range, "row", materialize(good.view(), rows, features, values));
  }
  const auto refused = [](auto change) {
    Columns columns;
    change(columns);
    CHECK_THROWS(std::invalid_argument, "", columns.view().check());
  };
  refused([](Columns& c) { c.candidate_offsets = {}; });
  refused([](Columns& c) { c.candidate_offsets = {0, 2, 1, 3}; });
  refused([](Columns& c) { c.candidate_offsets = {0, 2, 2, 4}; });
  refused([](Columns& c) { c.candidate_offsets = {-3, 0, 0, 3}; });
  refused([](Columns& c) { c.events[1] = 2; });
  refused([](Columns& c) { c.events[1] = 0xffffffffu; });
  refused([](Columns& c) { c.event_counts.pop_back(); });
  refused([](Columns& c) { c.event_offsets = {}; });
  refused([](Columns& c) { c.event_offsets = {0, std::numeric_limits<std::int64_t>::max(), 3}; });
  refused([](Columns& c) { c.feature_values.pop_back(); });
  refused([](Columns& c) { c.features.pop_back(); });
}
