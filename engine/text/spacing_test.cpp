#include "text/spacing.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "testing/test.hpp"

using isogloss::combine64;
using isogloss::text::GapFeatures;
using isogloss::text::kWordBegin;
using isogloss::text::kWordEnd;
using isogloss::text::SpacedLines;
using isogloss::text::SpacingModel;
using isogloss::text::SpacingTemplates;

namespace {

constexpr std::uint64_t kSpace = 71, kNoSpace = 72, kNoDecision = 73;
constexpr std::uint16_t kA = 2, kB = 3, kTouch = 7, kLast = 8, kAfter = 9;

/// Types 1 to 9 with their own number, times 100, as the only property; those below 5 are words.
struct Batch {
  std::vector<std::uint32_t> tokens;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint64_t> properties, styles, touches;
  std::vector<std::uint8_t> flags;

  explicit Batch(const std::vector<std::vector<std::uint32_t>>& lines) : offsets{0} {
    for (const auto& line : lines) {
      tokens.insert(tokens.end(), line.begin(), line.end());
      offsets.push_back(static_cast<std::int64_t>(tokens.size()));
      styles.push_back(5);
    }
    for (std::uint64_t type = 0; type < 10; ++type) {
      properties.push_back(100 * (type + 1));
      flags.push_back(type > 0 && type < 5 ? kWordEnd | kWordBegin : 0);
    }
  }
  SpacedLines view() const { return {tokens, offsets, properties, flags, styles, touches}; }
};

SpacingTemplates templates(std::vector<std::vector<std::uint16_t>> fields) {
  SpacingTemplates made;
  made.properties = 1;
  for (std::uint64_t name = 1; auto& one : fields) made.all.push_back({name++, std::move(one), false});
  made.kinds = {kSpace, kNoSpace};
  made.no_decision = kNoDecision;
  made.words_apart = true;
  return made;
}

std::vector<std::uint8_t> decided(const SpacingModel& model, const Batch& batch) {
  std::vector<std::uint8_t> decisions(batch.tokens.size());
  model.decide(batch.view(), decisions);
  return decisions;
}

}  // namespace

TEST("a gap has a feature for each template whose fields all have a value") {
  Batch batch({{1, 5, 1}, {}, {2}, {5, 5}});
  const std::vector<std::uint8_t> decisions{1, 0, 0, 0, 1, 0};
  GapFeatures found;
  spacing_features(batch.view(), templates({{kA, kB}, {kTouch}, {kLast}, {kAfter, kA}}), decisions, found);
  const std::vector<std::uint64_t> expected{
      combine64(combine64(1, 200), 600), combine64(3, kNoDecision), combine64(combine64(4, kNoDecision), 200),
      combine64(combine64(1, 600), 200), combine64(3, kNoSpace),       combine64(combine64(4, kNoDecision), 600),
      combine64(combine64(1, 600), 600), combine64(3, kNoDecision), combine64(combine64(4, kNoDecision), 600)};
  CHECK(std::vector(found.features.begin(), found.features.end()) == expected);
  CHECK(std::vector(found.starts.begin(), found.starts.end()) == (std::vector<std::int64_t>{0, 3, 6, 9}));
  CHECK(std::vector(found.gaps.begin(), found.gaps.end()) == (std::vector<std::int64_t>{0, 1, 4}));
  batch.touches.assign(6, 9);
  GapFeatures touched;
  spacing_features(batch.view(), templates({{kTouch}}), decisions, touched);
  CHECK_EQUAL(touched.features[0], combine64(1, 9));
}

TEST("the kind with the largest sum of weights is chosen, and words stay apart") {
  std::vector<std::uint64_t> keys{combine64(1, 600), combine64(2, 200), combine64(3, kNoSpace)};
  std::vector<std::vector<float>> rows{{0, 2}, {1, 0}, {3, 0}};  // after 5: none; before 1: a space; after none: a space
  std::vector<std::size_t> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> sorted;
  std::vector<float> weights;
  for (const auto at : order) {
    sorted.push_back(keys[at]);
    weights.insert(weights.end(), rows[at].begin(), rows[at].end());
  }
  const SpacingModel model(templates({{kA}, {kB}, {kLast}}), sorted, weights);
  const Batch batch({{1, 5, 1}, {5, 5, 5}, {1, 2}, {}});
  CHECK(decided(model, batch) == (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 0, 0, 0}));
}

TEST("spacing refuses arrays that do not fit together") {
  const SpacingModel model(templates({{kA}}), {}, {});
  Batch batch({{1, 5}});
  std::vector<std::uint8_t> decisions(2);
  model.decide(batch.view(), decisions);
  batch.tokens[0] = 10;
  CHECK_THROWS(std::invalid_argument, "spacing", model.decide(batch.view(), decisions));
  batch.tokens[0] = 1;
  batch.offsets[1] = 3;
  CHECK_THROWS(std::invalid_argument, "spacing", model.decide(batch.view(), decisions));
  CHECK_THROWS(std::invalid_argument, "spacing", SpacingModel(templates({{99}}), {}, {}));
  const std::vector<std::uint64_t> keys{2, 1};
  const std::vector<float> weights(4);
  CHECK_THROWS(std::invalid_argument, "spacing", SpacingModel(templates({{kA}}), keys, weights));
}
