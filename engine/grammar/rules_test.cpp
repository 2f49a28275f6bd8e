#include "grammar/rules.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "grammar/orientation.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::grammar;

namespace {

struct Pair {
  text::Vocabulary source, target;
  AlignedText text;
  LinkIndex index;

  Pair(const char* source_line, const char* target_line, const char* links) {
    text.add(source_line, target_line, links, 1, 100, source, target);
    index.build(text[0]);
  }
};

}  // namespace

TEST("links are sorted, unique and inside their pair") {
  const Pair pair("a b", "A B C", "1-2  0-0\t1-2 1-0");
  const std::span<const WordLink> links = pair.index.links(0, 3);
  CHECK_EQUAL(links.size(), 3u);
  CHECK(links[0] == (WordLink{0, 0}) && links[1] == (WordLink{1, 0}) && links[2] == (WordLink{1, 2}));
  CHECK_THROWS(LineError, "points outside", Pair("a", "A", "0-1"));
  CHECK_THROWS(LineError, "is not a link", Pair("a", "A", "0"));
  CHECK_THROWS(LineError, "is not a link", Pair("a", "A", "0-0-0"));
}

TEST("loose phrases take unaligned words in, tight ones do not") {
  const Pair pair("a b c", "A C", "0-0 2-1");
  std::vector<Block> tight, loose;
  find_phrases(pair.index, 7, true, tight);
  find_phrases(pair.index, 7, false, loose);
  CHECK_EQUAL(tight.size(), 3u);  // a|A, c|C, a b c|A C
  CHECK_EQUAL(loose.size(), 5u);  // and a b|A, b c|C
  loose.clear();
  find_phrases(pair.index, 1, false, loose);
  CHECK_EQUAL(loose.size(), 2u);
}

TEST("an initial phrase pair shares itself among all its rules") {
  const Pair pair("a b", "A B", "0-0 1-1");
  RuleFinder finder(RuleLimits{});
  unsigned whole_ways = 0;
  std::size_t whole_rules = 0;
  finder.find(pair.index, [&](const Block& block, unsigned ways, const std::vector<FoundRule>& rules) {
    if (block.source_length() == 2) whole_ways = ways, whole_rules = rules.size();
  });
  CHECK_EQUAL(whole_ways, 3u);   // a b, a X, X b
  CHECK_EQUAL(whole_rules, 2u);  // X b begins with a gap on the target side
}

TEST("orientation looks at both ends of a pair") {
  const Pair pair("a b", "B A", "0-1 1-0");
  for (const OrientationModel model :
       {OrientationModel::word, OrientationModel::phrase, OrientationModel::hier}) {
    Orientations orientations;
    orientations.build(pair.index, model, 7);
    CHECK(orientations.with_previous({0, 2, 0, 2}) == Orientation::monotone);
    CHECK(orientations.with_next({0, 2, 0, 2}) == Orientation::monotone);
    CHECK(orientations.with_previous({1, 2, 0, 1}) == Orientation::discontinuous);
    CHECK(orientations.with_next({1, 2, 0, 1}) == Orientation::swap);
    CHECK(orientations.with_previous({0, 1, 1, 2}) == Orientation::swap);
    CHECK(orientations.with_next({0, 1, 1, 2}) == Orientation::discontinuous);
  }
}
