#include "metric/bleu.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include "metric/reference_ngrams.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::metric;

namespace {

using Words = std::vector<WordId>;
using Sentence = std::vector<Words>;

/// Sentences of sequences, laid out flat.
struct Lists {
  Segments segments() const { return {ids, offsets, sentence_offsets}; }

  std::vector<WordId> ids;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> sentence_offsets{0};
};

Lists lists(const std::vector<Sentence>& sentences) {
  Lists flat;
  for (const Sentence& sequences : sentences) {
    for (const Words& words : sequences) {
      flat.ids.insert(flat.ids.end(), words.begin(), words.end());
      flat.offsets.push_back(static_cast<std::int64_t>(flat.ids.size()));
    }
    flat.sentence_offsets.push_back(static_cast<std::int64_t>(flat.offsets.size() - 1));
  }
  return flat;
}

std::vector<std::int32_t> statistics(const Lists& candidates, const Lists& references, std::size_t order,
                                     ReferenceLength length = ReferenceLength::kClosest) {
  check_segments(candidates.segments(), references.segments());
  std::vector<std::int32_t> rows(candidates.segments().sequences() * bleu_columns(order), -1);
  bleu_statistics(candidates.segments(), references.segments(), order, length, 2, rows.data());
  return rows;
}

double score(const std::vector<double>& row, const BleuOptions& options = {}) {
  double result = -1;
  bleu_scores<double>(row, {}, (row.size() - 2) / 2, options, 1, &result);
  return result;
}

}  // namespace

TEST("matches are clipped by the reference that has the n-gram most often") {
  const Lists candidates = lists({Sentence{Words{7, 7, 7, 7}}});
  const Lists references = lists({{{7, 8, 7}, {7, 7, 9, 9, 9, 9}}});
  const auto rows = statistics(candidates, references, 2);
  CHECK((rows == std::vector<std::int32_t>{4, 3, 2, 1, 4, 3}));
}

TEST("every candidate is counted anew") {
  const Lists candidates = lists({{{1, 2}, {1, 2}, {2, 1}}, {{1}}});
  const Lists references = lists({{{1, 2}}, {{3}}});
  const auto rows = statistics(candidates, references, 2);
  CHECK((rows == std::vector<std::int32_t>{2, 2, 2, 1, 2, 1, 2, 2, 2, 1, 2, 1,  //
                                           2, 2, 2, 0, 2, 1, 1, 1, 0, 0, 1, 0}));
}

TEST("unknown words match nothing and break n-grams") {
  const Lists candidates = lists({Sentence{Words{1, kNoWord, 2}}});
  const Lists references = lists({Sentence{Words{1, kNoWord, 2}}});
  CHECK((statistics(candidates, references, 2) == std::vector<std::int32_t>{3, 3, 2, 0, 3, 2}));
}

TEST("empty candidates and empty references are allowed") {
  const Lists candidates = lists({Sentence{Words{}, Words{1}}});
  const Lists references = lists({Sentence{Words{}}});
  CHECK((statistics(candidates, references, 1) == std::vector<std::int32_t>{0, 0, 0, 0, 1, 0, 0, 1}));
}

TEST("reference length is the closest, the shortest or the rounded mean") {
  const Lists candidates = lists({Sentence{Words{1, 1, 1}}});
  const Lists references = lists({{{1, 1, 1, 1}, {1, 1}, {1}}});
  CHECK_EQUAL(statistics(candidates, references, 1)[1], 2);
  CHECK_EQUAL(statistics(candidates, references, 1, ReferenceLength::kShortest)[1], 1);
  CHECK_EQUAL(statistics(candidates, references, 1, ReferenceLength::kAverage)[1], 2);
}

TEST("broken offsets are refused") {
  const Lists good = lists({Sentence{Words{1, 2}}});
  const auto check = [&](const Lists& broken) { check_segments(broken.segments(), good.segments()); };
  Lists broken = good;
  broken.offsets = {0, 3};
  CHECK_THROWS(std::invalid_argument, "past the end", check(broken));
  broken.offsets = {2, 0};
  CHECK_THROWS(std::invalid_argument, "number 1 is 0 after 2", check(broken));
  broken.offsets = {std::numeric_limits<std::int64_t>::min(), 2};
  CHECK_THROWS(std::invalid_argument, "negative", check(broken));
  broken.offsets = {0, std::numeric_limits<std::int64_t>::max()};
  CHECK_THROWS(std::invalid_argument, "number 1", check(broken));
  broken = good;
  broken.sentence_offsets = {0, 2};
  CHECK_THROWS(std::invalid_argument, "sentence offsets", check(broken));
  broken.sentence_offsets = {};
  CHECK_THROWS(std::invalid_argument, "empty", check(broken));
  broken.sentence_offsets = {0};
  CHECK_THROWS(std::invalid_argument, "hypotheses for 0 sentences but references for 1", check(broken));
}

TEST("BLEU follows its formula and its special cases") {
  CHECK_NEAR(score({4, 4, 4, 3, 4, 3}), 1, 1e-15);
  CHECK_NEAR(score({3, 6, 3, 2, 3, 2}), std::exp(-1.0), 1e-15);
  CHECK_EQUAL(score({3, 3, 2, 0, 3, 2}), 0.0);
  CHECK_NEAR(score({3, 3, 2, 0, 3, 2}, {BleuSmoothing::kExponential, 0, false}), std::sqrt(2.0 / 3 / 4), 1e-15);
  CHECK_NEAR(score({3, 3, 2, 0, 3, 2}, {BleuSmoothing::kFloor, 0.1, false}), std::sqrt(2.0 / 3 * 0.05), 1e-15);
  CHECK_NEAR(score({3, 3, 2, 0, 3, 2}, {BleuSmoothing::kAddK, 1, false}), std::sqrt(2.0 / 3 / 3), 1e-15);
  CHECK_EQUAL(score({1, 1, 1, 0, 1, 0}), 0.0);
  CHECK_NEAR(score({1, 1, 1, 0, 1, 0}, {BleuSmoothing::kNone, 0, true}), 1, 1e-15);
  CHECK_EQUAL(score({3, 3, 0, 0, 3, 2}, {BleuSmoothing::kAddK, 1, true}), 0.0);
  CHECK_EQUAL(score({0, 3, 0, 0, 0, 0}, {BleuSmoothing::kExponential, 0, true}), 0.0);
}

TEST("a background turns a row into a document") {
  const std::vector<std::int32_t> row{2, 2, 1, 0, 2, 1};
  const std::vector<double> background{4, 5, 3, 2, 4, 3};
  double found = 0;
  bleu_scores<std::int32_t>(row, background, 2, {}, 1, &found);
  CHECK_EQUAL(found, score({6, 7, 4, 2, 6, 4}));
}

TEST("n-grams of a sentence are visited once each, prefixes first") {
  const Lists references = lists({{{1, 2, 1, 2}, {1, 2}}});
  ReferenceNgrams ngrams;
  ngrams.assign(references.segments(), 0, 2);
  CHECK_EQUAL(ngrams.size(), 4u);
  std::vector<bool> seen(ngrams.size());
  int count = 0;
  ngrams.for_each([&](auto prefix, WordId, auto ngram) {
    CHECK(prefix == ReferenceNgrams::kRoot || seen[prefix]);
    CHECK(!seen[ngram]);
    seen[ngram] = true;
    ++count;
  });
  CHECK_EQUAL(count, 4);
}
