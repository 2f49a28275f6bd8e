#include "grammar/table.hpp"

#include <random>
#include <span>
#include <vector>

#include "grammar/matcher.hpp"
#include "grammar/selection.hpp"
#include "grammar/significance.hpp"
#include "grammar/table_writer.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::grammar;

namespace {

/// Arrays that a test may damage.
struct Stored {
  std::vector<std::uint32_t> nodes, slots, rules, phrase_ends, words;
  std::vector<std::uint8_t> links;
  std::vector<float> scores, orientation, counts;
  std::uint32_t longest_probe;

  TableArrays arrays() const {
    TableArrays views;
    views.nodes = nodes;
    views.slots = slots;
    views.rules = rules;
    views.links = links;
    views.phrase_ends = phrase_ends;
    views.words = words;
    views.scores = scores;
    views.orientation = orientation;
    views.counts = counts;
    views.columns = 1;
    views.source_words = 4;
    views.target_words = 4;
    views.longest_probe = longest_probe;
    return views;
  }
};

template <class T>
std::vector<T> copy(const Buffer<T>& buffer) {
  return {buffer.begin(), buffer.end()};
}

/// Source sides: [X] 1, 0, 0 [X], 0 [X] 1 [X], 0 1.
Stored small_table() {
  TableWriter writer;
  const float score[] = {-1}, counts[] = {1, 2, 3, 4}, orientation[] = {-1, -2, -3, -1, -2, -3};
  const std::uint8_t link[] = {0, 0}, second[] = {0, 1};
  const auto add = [&](std::vector<WordId> symbols, std::uint32_t phrase, Shape shape,
                       std::span<const std::uint8_t> links) {
    writer.add_side(symbols);
    writer.add_rule(phrase, shape, links, score, counts, orientation);
  };
  add({kGap, 1}, 0, Shape::one_gap, second);
  add({0}, 0, Shape::plain, link);
  add({0, kGap}, 1, Shape::one_gap, link);
  add({0, kGap, 1, kGap}, 1, Shape::two_gaps_swapped, link);
  add({0, 1}, 2, Shape::plain, link);
  writer.finish();
  TableWriter::Rows rows = writer.take();
  Slots slots = build_slots({rows.nodes.data(), rows.nodes.size()});
  return {copy(rows.nodes),  copy(slots.table),  copy(rows.rules),  {1, 2, 4},
          {0, 1, 2, 3},      copy(rows.links),   copy(rows.scores), copy(rows.orientation),
          copy(rows.counts), slots.longest_probe};
}

void read_everything(const RuleTable& table) {
  const WordId sentence[] = {0, 1, 0, 2, 1, 3, 0, 1, kNoWord};
  SideMatcher matcher(table);
  matcher.match(sentence, 15);
  for (const SideView& side : matcher.sides())
    for (std::uint32_t rule = side.first_rule; rule < side.last_rule; ++rule) {
      const RuleView view = table.rule(rule, side);
      CHECK(view.words.size() > 0);
      CHECK(table.scores(rule).size() == 1);
    }
  const std::vector<std::uint8_t> keep(table.rule_count(), 1);
  TableSelection selection(table, keep);
  while (selection.write(3)) {
  }
  selection.phrases();
  CoOccurrence counts(table, 10, 100, 1);
  const std::int64_t offsets[] = {0, 9};
  counts.add(sentence, offsets, sentence, offsets);
  counts.significance();
}

}  // namespace

TEST("a rule table finds words and gaps") {
  const Stored stored = small_table();
  const RuleTable table(stored.arrays());
  const RuleTable::Node zero = table.child(RuleTable::kRoot, 0);
  CHECK(zero != RuleTable::kNoNode);
  CHECK(table.child(zero, 1) != RuleTable::kNoNode);
  CHECK(table.child(zero, 2) == RuleTable::kNoNode);
  CHECK(table.child(RuleTable::kRoot, kNoWord) == RuleTable::kNoNode);
  const RuleTable::Node gap = table.gap_child(zero);
  const SideView side = table.side(gap);
  CHECK_EQUAL(int{side.length}, 2);
  CHECK_EQUAL(int{side.gaps}, 1);
  const RuleView rule = table.rule(side.first_rule, side);
  CHECK_EQUAL(rule.phrase, 1u);
  CHECK_EQUAL(rule.words.size(), 1u);
  CHECK(rule.shape == Shape::one_gap);
  CHECK(table.gap_child(table.child(zero, 1)) == RuleTable::kNoNode);
  read_everything(table);
}

TEST("matches come by span") {
  const Stored stored = small_table();
  const RuleTable table(stored.arrays());
  SideMatcher matcher(table);
  const WordId sentence[] = {0, 1, 0};
  matcher.match(sentence, 15);
  // [0,1): 0.  [0,2): 0 1, 0 X, X 1.  [0,3): 0 X.  [2,3): 0.
  CHECK_EQUAL(matcher.matches().size(), 6u);
  CHECK_EQUAL(matcher.matches(0, 2).size(), 3u);
  CHECK_EQUAL(matcher.matches(0, 3).size(), 1u);
  CHECK_EQUAL(matcher.matches(2, 3).size(), 1u);
  CHECK_EQUAL(matcher.matches(1, 3).size(), 0u);
  CHECK_EQUAL(matcher.matches(9, 10).size(), 0u);
  matcher.match(sentence, 1);  // no room for gaps
  CHECK_EQUAL(matcher.matches().size(), 3u);
  matcher.match_sides(sentence, 15);
  CHECK_EQUAL(matcher.sides().size(), 4u);
  CHECK(matcher.matches().empty());
}

TEST("source sides must come in order") {
  TableWriter writer;
  const std::vector<WordId> one = {1}, zero = {0}, gap = {kGap, 1};
  writer.add_side(one);
  CHECK_THROWS(std::invalid_argument, "in order", writer.add_side(one));
  CHECK_THROWS(std::invalid_argument, "in order", writer.add_side(zero));
  CHECK_THROWS(std::invalid_argument, "in order", writer.add_side(gap));
}

TEST("sizes that do not fit are refused") {
  const auto refuses = [](void (*damage)(Stored&)) {
    Stored stored = small_table();
    damage(stored);
    CHECK_THROWS(TableError, "rule table", RuleTable(stored.arrays()));
  };
  refuses([](Stored& s) { s.nodes.pop_back(); });
  refuses([](Stored& s) { s.nodes.clear(); });
  refuses([](Stored& s) { s.slots.resize(s.slots.size() - 2); });
  refuses([](Stored& s) { s.rules.pop_back(); });
  refuses([](Stored& s) { s.links.pop_back(); });
  refuses([](Stored& s) { s.scores.pop_back(); });
  refuses([](Stored& s) { s.orientation.pop_back(); });
  refuses([](Stored& s) { s.counts.pop_back(); });
  refuses([](Stored& s) { s.longest_probe = 1000; });
}

TEST("any damage to the arrays gives an answer or an error") {
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Stored stored = small_table();
    std::vector<std::uint32_t>* const arrays[] = {&stored.nodes, &stored.slots, &stored.rules,
                                                  &stored.phrase_ends, &stored.words};
    for (unsigned i = 0; i <= random() % 3; ++i) {
      std::vector<std::uint32_t>& array = *arrays[random() % 5];
      const std::uint32_t values[] = {
          0, 1, 2, 7, 100, 0x7fffffff, kGap, kNoWord, static_cast<std::uint32_t>(random())};
      array[random() % array.size()] = values[random() % 9];
    }
    if (random() % 4 == 0) stored.links[random() % stored.links.size()] = static_cast<std::uint8_t>(random());
    if (random() % 8 == 0) stored.longest_probe = static_cast<std::uint32_t>(random() % 17);
    try {
      read_everything(RuleTable(stored.arrays()));
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
