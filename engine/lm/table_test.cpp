#include "lm/table.hpp"

#include <map>
#include <random>
#include <stdexcept>

#include "lm/model.hpp"
#include "testing/test.hpp"

using namespace isogloss::lm;

TEST("a table finds what was put in and nothing else") {
  std::mt19937_64 random(1);
  for (std::size_t entries : {0u, 1u, 3u, 100u, 20000u}) {
    TableBuilder<LongestBucket> table(entries, 0.75);
    std::map<std::uint64_t, float> all;
    while (all.size() < entries) {
      const std::uint64_t key = random() | 1;
      const float value = static_cast<float>(all.size());
      CHECK_EQUAL(table.insert(key, value).second, all.emplace(key, value).second);
    }
    std::size_t visited = 0;
    table.for_each([&](std::uint64_t key, float value) {
      ++visited;
      CHECK_EQUAL(all.at(key), value);
    });
    CHECK_EQUAL(visited, entries);
    const Table<LongestBucket> view = table.table();
    for (const auto& [key, value] : all) CHECK_EQUAL(*view.find(key), value);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t key = random() | 1;
      CHECK_EQUAL(view.find(key) != nullptr, all.count(key) != 0);
    }
  }
}

TEST("a key stands in a table once") {
  TableBuilder<LongestBucket> table(10, 0.75);
  CHECK(table.insert(7, 1.0f).second);
  CHECK(!table.insert(7, 2.0f).second);
  CHECK_EQUAL(*table.find(7), 1.0f);
}

TEST("keys that crowd into one place are an error, not a slow table") {
  TableBuilder<LongestBucket> table(100000, 0.75);
  const auto crowd = [&] {
    for (std::uint64_t key = 1; key < 1000; key += 2) table.insert(key, 0.0f);
  };
  CHECK_THROWS(std::length_error, "coincide", crowd());
}

TEST("a search in a table without any empty slot ends") {
  std::vector<MiddleBucket> full(300);
  for (MiddleBucket& bucket : full)
    for (std::uint64_t& key : bucket.keys) key = 3;
  CHECK(Table<MiddleBucket>(full).find(5) == nullptr);
  CHECK(Table<MiddleBucket>().find(5) == nullptr);
}
