#include "search/weights.hpp"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "testing/small_system.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::search;
using namespace isogloss::testing;

namespace {

std::vector<double> weights_of(const Decoder& decoder, double lm) {
  std::vector<double> weights(decoder.feature_names().size(), 0.3);
  weights[0] = lm;
  return weights;
}

bool same(const TranslatedSentence& a, const TranslatedSentence& b) {
  return a.words == b.words && a.scores == b.scores && a.features == b.features;
}

/// Repeats an action in a thread for as long as it lives.
class Meanwhile {
 public:
  template <class Action>
  explicit Meanwhile(Action action)
      : thread_([this, action]() mutable {
          while (!stop_.load()) action();
        }) {}
  ~Meanwhile() {
    stop_ = true;
    thread_.join();
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

TEST("a call keeps its weights while others set them, and while they are learned") {
  std::mt19937 random(11);
  const SmallSystem system(random_rules(random, 40), random_arpa(random));
  const auto decoder = system.decoder({}, true);
  const auto learned = std::make_shared<features::LearnedTable>();
  std::vector<Input> inputs;
  for (int i = 0; i < 12; ++i) inputs.push_back(sentence(*decoder, {"a", "b", i % 2 ? "c" : "a", "b", "c"}));
  BatchRequest request;
  request.nbest = 3;
  std::vector<TranslatedSentence> expected[2];
  for (int k = 0; k < 2; ++k) {
    decoder->set_weights(weights_of(*decoder, k));
    expected[k] = decoder->translate(inputs, request);
  }
  request.keep = true;
  std::vector<features::Firing> firings;
  for (const TranslatedSentence& one : decoder->translate(inputs, request)) {
    std::vector<features::Firing> more;
    one.kept.sparse().features(one.kept.sparse_steps(0), more);
    firings.insert(firings.end(), more.begin(), more.end());
  }
  request.keep = false;
  request.threads = 2;
  {
    int turn = 0;
    const Meanwhile setting([&] { decoder->set_weights(weights_of(*decoder, turn++ % 2)); });
    for (int round = 0; round < 20; ++round) {
      const auto found = decoder->translate(inputs, request);
      const auto& one = same(found[0], expected[0][0]) ? expected[0] : expected[1];
      for (std::size_t i = 0; i < found.size(); ++i) CHECK(same(found[i], one[i]));
    }
  }
  std::mt19937_64 numbers(7);
  const auto learn = [&] {
    learned->change([&](features::WeightTable& table) {
      for (const features::Firing& firing : firings) table.add(firing.feature, 0.001f);
      for (int i = 0; i < 100; ++i) table.add(numbers() | 1, 0.01f);  // so that it grows, and moves
    });
    learned->table().next_step();
  };
  {
    const Meanwhile learning(learn);
    const Meanwhile setting([&] { decoder->set_weights(weights_of(*decoder, 0), learned); });
    for (int round = 0; round < 20; ++round) decoder->translate(inputs, request);
  }
  decoder->set_weights(weights_of(*decoder, 0), learned);
  const auto after = decoder->translate(inputs, request);
  const auto fresh = system.decoder({}, true);
  fresh->set_weights(weights_of(*fresh, 0), learned);
  const auto again = fresh->translate(inputs, request);
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(same(after[i], again[i]));
}

TEST("weights learned since they were set count in the next call") {
  std::mt19937 random(12);
  const SmallSystem system(random_rules(random, 30), random_arpa(random));
  const auto decoder = system.decoder({}, true);
  const auto learned = std::make_shared<features::LearnedTable>();
  decoder->set_weights(weights_of(*decoder, 1), learned);
  const std::vector<Input> inputs{sentence(*decoder, {"a", "b", "c"})};
  BatchRequest request;
  request.keep = true;
  std::vector<features::Firing> firings;
  double last = decoder->translate(inputs, request)[0].scores[0];
  for (int round = 0; round < 3; ++round) {
    const auto found = decoder->translate(inputs, request);
    found[0].kept.sparse().features(found[0].kept.sparse_steps(0), firings);
    learned->change([&](features::WeightTable& table) {
      for (const features::Firing& firing : firings) table.add(firing.feature, 0.5f);
    });
    const double score = decoder->translate(inputs, request)[0].scores[0];
    CHECK(score > last + 0.4);
    last = score;
  }
}

TEST("what was pinned stays as it was, and what nobody reads is not copied") {
  features::LearnedTable learned;
  learned.change([](features::WeightTable& table) { table.add(5, 1.0f); });
  const features::WeightTable* before = &learned.table();
  learned.change([](features::WeightTable& table) { table.add(5, 1.0f); });
  CHECK(&learned.table() == before);
  {
    const features::PinnedWeights pinned = learned.pin();
    for (std::uint64_t feature = 1; feature < 5000; ++feature)
      learned.change([&](features::WeightTable& table) { table.add(feature << 40 | 5, 1.0f); });
    CHECK(&learned.table() != before);
    CHECK_EQUAL(pinned.view.weight(5), 2.0f);
    CHECK_EQUAL(pinned.view.weight(std::uint64_t{7} << 40 | 5), 0.0f);
    CHECK(pinned.revision < learned.pin().revision);
  }
  before = &learned.table();
  learned.change([](features::WeightTable& table) { table.add(5, 1.0f); });
  CHECK(&learned.table() == before);
  CHECK_EQUAL(learned.table().weight(5), 3.0f);
}
