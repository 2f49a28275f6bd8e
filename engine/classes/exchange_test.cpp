#include "classes/exchange.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "base/hash.hpp"
#include "classes/bigrams.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::classes;

namespace {

BigramCounter count(const std::vector<WordId>& ids, const std::vector<std::int64_t>& offsets) {
  BigramCounter counter;
  counter.add(ids, offsets);
  return counter;
}

std::vector<std::uint32_t> same_units(const BigramCounter& counter) {
  std::vector<std::uint32_t> units(counter.counts().size());
  for (std::uint32_t i = 0; i < units.size(); ++i) units[i] = i;
  return units;
}

ExchangeClustering random_clustering(std::uint64_t seed, std::uint32_t classes, std::uint32_t words,
                                     std::size_t tokens) {
  std::vector<WordId> ids;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::uint64_t chance = combine64(seed, i);
    ids.push_back(static_cast<WordId>(i < words ? i : (chance % words) * (chance >> 32) % words));
    if (chance >> 61 == 0) offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  offsets.push_back(static_cast<std::int64_t>(ids.size()));
  const BigramCounter counter = count(ids, offsets);
  std::vector<std::uint32_t> initial(words);
  for (std::uint32_t i = 0; i < words; ++i) initial[i] = i % classes;
  return {std::make_shared<const UnitBigrams>(counter.units(same_units(counter), words)), classes, initial};
}

}  // namespace

TEST("bigrams are counted with sentence ends, and empty sentences are not") {
  const BigramCounter counter = count({0, 1, 0, 1, 1}, {0, 2, 2, 5});
  CHECK_EQUAL(counter.sentences(), 2u);
  CHECK_EQUAL(counter.counts()[1], 3u);
  const UnitBigrams bigrams = counter.units(same_units(counter), 2);
  CHECK_EQUAL(bigrams.total, 7u);
  CHECK_EQUAL(bigrams.counts[bigrams.boundary()], 2u);
  CHECK_EQUAL(bigrams.after.of(0).size(), 1u);
  CHECK_EQUAL(bigrams.after.of(0)[0].unit, 1u);
  CHECK_EQUAL(bigrams.after.of(0)[0].count, 2u);
  CHECK_EQUAL(bigrams.after.of(1).size(), 2u);
  CHECK_EQUAL(bigrams.before.of(bigrams.boundary()).size(), 1u);
  CHECK_EQUAL(bigrams.after.of(bigrams.boundary())[0].count, 2u);
}

TEST("many different pairs are kept while the table grows") {
  std::vector<WordId> ids;
  for (WordId a = 0; a < 300; ++a)
    for (WordId b = 0; b < 300; ++b) ids.insert(ids.end(), {a, b});
  const BigramCounter counter = count(ids, {0, static_cast<std::int64_t>(ids.size())});
  const UnitBigrams bigrams = counter.units(same_units(counter), 300);
  CHECK_EQUAL(counter.pairs(), 300u * 300u + 2);
  std::uint64_t sum = 0;
  for (std::uint32_t unit = 0; unit <= 300; ++unit)
    for (const Neighbor& next : bigrams.after.of(unit)) sum += next.count;
  CHECK_EQUAL(sum, bigrams.total);
}

TEST("bad ids, offsets, units and classes are refused") {
  CHECK_THROWS(std::invalid_argument, "out of order", count({0, 1}, {0, 3}));
  CHECK_THROWS(std::invalid_argument, "out of order", count({0, 1}, {2, 1}));
  CHECK_THROWS(std::invalid_argument, "out of order", count({0, 1}, {-1, 1}));
  CHECK_THROWS(std::invalid_argument, "not a word", count({kNoWord}, {0, 1}));
  const BigramCounter counter = count({0, 1}, {0, 2});
  CHECK_THROWS(std::invalid_argument, "no unit", counter.units(std::vector<std::uint32_t>{0}, 1));
  CHECK_THROWS(std::invalid_argument, "too large", counter.units(std::vector<std::uint32_t>{0, 5}, 2));
  const auto bigrams = std::make_shared<const UnitBigrams>(counter.units(same_units(counter), 2));
  const std::vector<std::uint32_t> initial{0, 1};
  CHECK_THROWS(std::invalid_argument, "classes", ExchangeClustering(bigrams, 0, initial));
  CHECK_THROWS(std::invalid_argument, "too large", ExchangeClustering(bigrams, 1, initial));
  CHECK_THROWS(std::invalid_argument, "every unit", ExchangeClustering(bigrams, 2, std::vector<std::uint32_t>{0}));
  ExchangeClustering clustering(bigrams, 2, initial);
  CHECK_THROWS(std::invalid_argument, "no such", clustering.gain(2, 0));
  CHECK_EQUAL(clustering.exchange(2, 900), 0u);
}

TEST("the likelihood kept move by move is the recomputed one, and rises until no move is left") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ExchangeClustering clustering = random_clustering(seed, 1 + seed % 7, 40, 600);
    std::int64_t last = clustering.likelihood();
    std::size_t moved = 1;
    while (moved > 0) {
      moved = clustering.exchange(0, clustering.units());
      CHECK_EQUAL(clustering.likelihood(), clustering.recomputed_likelihood());
      CHECK(moved > 0 ? clustering.likelihood() > last : clustering.likelihood() == last);
      last = clustering.likelihood();
    }
    for (std::uint32_t unit = 0; unit < clustering.units(); ++unit)
      for (std::uint32_t target = 0; target < clustering.classes(); ++target)
        CHECK(clustering.gain(unit, target) <= 0);
  }
}
