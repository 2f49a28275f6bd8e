#include "metric/ter.hpp"

#include <vector>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::metric;

namespace {

std::int32_t edits(const std::vector<WordId>& candidate, const std::vector<WordId>& reference) {
  return EditRate().edits(candidate, reference);
}

}  // namespace

TEST("insertions, deletions and substitutions cost one each") {
  CHECK_EQUAL(edits({1, 2, 3}, {1, 2, 3}), 0);
  CHECK_EQUAL(edits({1, 2, 3}, {1, 4, 3}), 1);
  CHECK_EQUAL(edits({1, 3}, {1, 2, 3}), 1);
  CHECK_EQUAL(edits({1, 2, 2, 3}, {1, 2, 3}), 1);
  CHECK_EQUAL(edits({}, {1, 2}), 2);
  CHECK_EQUAL(edits({1, 2}, {}), 2);
}

TEST("a shift of several words costs one") {
  CHECK_EQUAL(edits({4, 5, 1, 2, 3}, {1, 2, 3, 4, 5}), 1);
  CHECK_EQUAL(edits({3, 4, 1, 2, 7}, {1, 2, 3, 4, 8}), 2);
}

TEST("short and long references agree") {
  // 30 words are too long for the bits of a machine word to hold the beam: the matrix is filled instead.
  std::vector<WordId> reference, candidate;
  for (WordId word = 1; word <= 30; ++word) reference.push_back(word);
  candidate.assign(reference.begin() + 3, reference.end());
  candidate.insert(candidate.end(), reference.begin(), reference.begin() + 3);
  CHECK_EQUAL(edits(candidate, reference), 1);
}

TEST("a word that no reference has matches nothing") {
  CHECK_EQUAL(edits({kNoWord, 1}, {kNoWord, 1}), 1);
}
