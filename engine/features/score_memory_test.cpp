#include "features/score_memory.hpp"

#include <map>
#include <random>

#include "testing/test.hpp"

namespace {

using isogloss::features::SentenceMemory;

TEST("a memory of one sentence answers like a map, and the next sentence finds it empty") {
  SentenceMemory<float> memory;
  std::mt19937 random(1);
  for (std::size_t sentence = 0; sentence < 20; ++sentence) {
    memory.begin();
    std::map<std::uint64_t, float> known_values;
    // Long sentences grow the table, and one of them beyond what is kept.
    const std::size_t looks = sentence == 10 ? 300'000 : sentence % 3 == 0 ? 20'000 : 50;
    for (std::size_t i = 0; i < looks; ++i) {
      const std::uint64_t key = random() % (looks * 3 / 2);
      bool known;
      float* value = memory.find(key, known);
      const auto expected = known_values.find(key);
      CHECK_EQUAL(known, expected != known_values.end());
      if (known) CHECK_EQUAL(*value, expected->second);
      else *value = known_values[key] = static_cast<float>(i);
    }
  }
}

}  // namespace

