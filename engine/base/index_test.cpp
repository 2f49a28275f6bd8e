#include "base/index.hpp"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "testing/test.hpp"

using namespace isogloss;

namespace {

/// Keys with an index, and a hash that tests can make as bad as they like.
struct Keys {
  std::uint64_t (*hash)(std::uint64_t);
  Index index;
  std::vector<std::uint64_t> keys;

  std::uint32_t add(std::uint64_t key) {
    return index.find_or_add(
        hash(key), [&](std::uint32_t number) { return keys[number] == key; },
        [&](std::uint32_t number) { return hash(keys[number]); }, [&] { keys.push_back(key); });
  }
  std::uint32_t find(std::uint64_t key) const {
    return index.find(hash(key), [&](std::uint32_t number) { return keys[number] == key; });
  }
};

struct Word {
  std::uint32_t word;
  std::uint64_t hash() const { return mix64(word); }
  bool operator==(const Word&) const = default;
};

}  // namespace

TEST("an index numbers keys in the order in which they are added, as a map would") {
  using Hash = std::uint64_t (*)(std::uint64_t);
  const Hash spread = [](std::uint64_t key) { return mix64(key); };
  const Hash multiplied = [](std::uint64_t key) -> std::uint64_t { return key * 0x9e3779b97f4a7c15ULL; };
  const Hash shared = [](std::uint64_t key) { return mix64(key % 300); };              // by many keys
  const Hash like_free = [](std::uint64_t key) { return mix64(key) | 0xffffffffu; };  // as a free slot looks
  for (const Hash hash : {spread, multiplied, shared, like_free}) {
    Keys keys{hash, {}, {}};
    std::map<std::uint64_t, std::uint32_t> expected;
    std::uint64_t random = 1;
    for (int i = 0; i < 5000; ++i) {
      random = mix64(random + 1);
      const std::uint64_t key = random % 2000;
      const auto known = expected.find(key);
      CHECK_EQUAL(keys.find(key), known == expected.end() ? Index::kNone : known->second);
      const auto number = static_cast<std::uint32_t>(expected.size());
      CHECK_EQUAL(keys.add(key), expected.try_emplace(key, number).first->second);
      CHECK_EQUAL(keys.index.size(), expected.size());
    }
    for (const auto& [key, number] : expected) CHECK_EQUAL(keys.find(key), number);
    for (std::uint64_t key = 2000; key < 3000; ++key) CHECK_EQUAL(keys.find(key), Index::kNone);
  }
}

TEST("keys that share all bits of their hash are told apart by the keys alone") {
  Keys keys{[](std::uint64_t) { return ~std::uint64_t{0}; }, {}, {}};
  for (std::uint64_t key = 0; key < 600; ++key) CHECK_EQUAL(keys.add(key), key);
  for (std::uint64_t key = 0; key < 600; ++key) CHECK_EQUAL(keys.find(key), key);
  CHECK_EQUAL(keys.find(600), Index::kNone);
}

TEST("hardly a key is compared that is not the right one") {
  Keys keys{mix64, {}, {}};
  for (std::uint64_t key = 0; key < 100000; ++key) keys.add(key);
  std::size_t compared = 0;
  for (std::uint64_t key = 100000; key < 200000; ++key)
    keys.index.find(mix64(key), [&](std::uint32_t) {
      ++compared;
      return false;
    });
  CHECK(compared < 100);
}

TEST("a key that could not be stored is not in the index") {
  Keys keys{mix64, {}, {}};
  keys.add(7);
  const auto fail = [] { throw std::runtime_error("no room"); };
  const auto never = [](std::uint32_t) { return false; };
  const auto hash_of = [&](std::uint32_t number) { return mix64(keys.keys[number]); };
  CHECK_THROWS(std::runtime_error, "no room", keys.index.find_or_add(mix64(8), never, hash_of, fail));
  CHECK_EQUAL(keys.index.size(), 1u);
  CHECK_EQUAL(keys.find(8), Index::kNone);
  CHECK_EQUAL(keys.add(8), 1u);
  CHECK_EQUAL(keys.find(7), 0u);
}

TEST("an index takes at most sixteen bytes a key, and no more than it was told to expect") {
  Keys keys{mix64, {}, {}};
  for (std::uint64_t key = 0; key < 100000; ++key) keys.add(key);
  CHECK(keys.index.bytes() <= 16 * 100000);
  keys.keys.clear();
  keys.index.reset(1000);
  CHECK_EQUAL(keys.index.size(), 0u);
  const std::size_t bytes = keys.index.bytes();
  for (std::uint64_t key = 0; key < 1000; ++key) keys.add(key);
  CHECK_EQUAL(keys.index.bytes(), bytes);
  for (std::uint64_t key = 1000; key < 2000; ++key) keys.add(key);
  CHECK_EQUAL(keys.find(1999), 1999u);
}

TEST("a cleared index is empty and numbers from 0 again") {
  Keys keys{mix64, {}, {}};
  keys.index.clear();
  CHECK_EQUAL(keys.find(1), Index::kNone);
  for (std::uint64_t key = 0; key < 1000; ++key) keys.add(key);
  const std::size_t bytes = keys.index.bytes();
  keys.index.clear();
  keys.keys.clear();
  CHECK_EQUAL(keys.index.bytes(), bytes);
  CHECK_EQUAL(keys.find(1), Index::kNone);
  CHECK_EQUAL(keys.add(999), 0u);
  CHECK_EQUAL(keys.add(1), 1u);
  CHECK_EQUAL(keys.find(999), 0u);
}

TEST("an interner gives equal values equal numbers") {
  Interner<Word> words;
  CHECK_EQUAL(words.find({5}), Interner<Word>::kNone);
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < 1000; ++i) CHECK_EQUAL(words.number({i * i}), i);
  CHECK_EQUAL(words.size(), 1000u);
  CHECK_EQUAL(words[30].word, 900u);
  CHECK_EQUAL(words.find({900}), 30u);
  CHECK_EQUAL(words.find({901}), Interner<Word>::kNone);
  words.clear();
  CHECK_EQUAL(words.size(), 0u);
  CHECK_EQUAL(words.find({900}), Interner<Word>::kNone);
  CHECK_EQUAL(words.number({900}), 0u);
}
