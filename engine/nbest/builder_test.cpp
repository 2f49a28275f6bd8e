#include "nbest/builder.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::nbest;

namespace {

void add(NbestBuilder& builder, std::int64_t sentence, std::string_view word, std::string_view group,
         const std::vector<double>& values) {
  builder.begin(sentence);
  builder.add_token(word);
  builder.add_dense(group, values);
  builder.end();
}

template <class Action>
void check_refused(const std::string& message, Action action) {
  NbestBuilder builder;
  builder.begin(0);
  CHECK_THROWS(std::invalid_argument, message, action(builder));
  CHECK_THROWS(std::logic_error, "refused or not ended", builder.begin(0));
  CHECK_THROWS(std::logic_error, "refused or not ended", builder.finish());
}

}  // namespace

TEST("the builder groups candidates by rising sentence and keeps their order") {
  NbestBuilder builder;
  add(builder, 7, "c", "LM", {3});
  add(builder, 2, "a", "TM", {1, 2});
  add(builder, 7, "b", "LM", {4});
  const NbestColumns columns = builder.finish();
  CHECK(columns.reordered);
  CHECK_EQUAL(columns.sentence_ids.size(), 2u);
  CHECK_EQUAL(columns.sentence_ids[0], 2);
  CHECK_EQUAL(columns.sentence_offsets[1], 1);
  CHECK_EQUAL(columns.sentence_offsets[2], 3);
  CHECK_EQUAL(columns.dense_columns, 3u);
  const std::vector<double> expected = {0, 1, 2, 3, 0, 0, 4, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK_EQUAL(columns.dense[i], expected[i]);
  CHECK_EQUAL(columns.words.word(columns.tokens.values[0]), "a");
  CHECK_EQUAL(columns.tokens.values[0], 0u);  // numbered as a list in that order would be
  CHECK_EQUAL(columns.dense_groups[0].candidates, 2u);
}

TEST("dense columns that appear late leave zeros in the rows before them") {
  NbestBuilder builder;
  for (int i = 0; i < 40; ++i) add(builder, 0, "a", "f" + std::to_string(i), {i + 1.0});
  const NbestColumns columns = builder.finish();
  CHECK_EQUAL(columns.dense_columns, 40u);
  CHECK_EQUAL(columns.dense.size(), 1600u);
  for (std::size_t row = 0; row < 40; ++row)
    for (std::size_t i = 0; i < 40; ++i)
      CHECK_EQUAL(columns.dense[row * 40 + i], row == i ? static_cast<double>(row) + 1.0 : 0.0);
}

TEST("words keep their numbers however many there are and however long they are") {
  NbestBuilder builder;
  builder.begin(0);
  std::vector<std::string> words;
  for (int i = 0; i < 5000; ++i) words.push_back(std::string(static_cast<std::size_t>(i % 23), 'x') + std::to_string(i));
  for (int round = 0; round < 2; ++round)
    for (const std::string& word : words) builder.add_token(word);
  builder.end();
  const NbestColumns columns = builder.finish();
  CHECK_EQUAL(columns.words.size(), words.size());
  for (std::size_t i = 0; i < 2 * words.size(); ++i)
    CHECK_EQUAL(columns.words.word(columns.tokens.values[i]), words[i % words.size()]);
}

TEST("an empty builder gives an empty list, and a used one begins anew") {
  NbestBuilder builder;
  CHECK_EQUAL(builder.finish().sentence_offsets.size(), 1u);
  for (int round = 0; round < 3; ++round) {
    add(builder, 1, "a", "LM", {1});
    add(builder, 0, "b", "LM", {1});
    const NbestColumns columns = builder.finish();
    CHECK_EQUAL(columns.candidates(), 2u);
    CHECK_EQUAL(columns.tokens.offsets.size(), 3u);
    CHECK_EQUAL(columns.words.size(), 2u);
    CHECK_EQUAL(columns.dense_columns, 1u);
  }
}

TEST("repeated sparse features add up, for each candidate alone") {
  NbestBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.begin(i);
    builder.add_sparse("x", 1.5);
    builder.add_sparse("y", 1);
    builder.add_sparse("x", 2);
    builder.end();
  }
  const NbestColumns columns = builder.finish();
  CHECK_EQUAL(columns.sparse_values.size(), 4u);
  CHECK_EQUAL(columns.sparse_values[0], 3.5f);
  CHECK_EQUAL(columns.sparse_values[2], 3.5f);
  CHECK_EQUAL(columns.sparse_columns.offsets[2], 4);
}

TEST("the builder refuses what no list can hold, and everything after it") {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  check_refused("field separator", [](NbestBuilder& b) { b.add_token("a|||"); });
  check_refused("not valid UTF-8", [](NbestBuilder& b) { b.add_token("\xff"); });
  check_refused("not valid UTF-8", [](NbestBuilder& b) { b.add_token(std::string_view("a\0", 2)); });
  check_refused("not a valid feature name", [](NbestBuilder& b) { b.add_sparse("", 1); });
  check_refused("not a valid feature name", [](NbestBuilder& b) { b.add_sparse("a b", 1); });
  check_refused("not a valid feature name", [](NbestBuilder& b) { b.add_dense("a|||b", std::vector{1.0}); });
  check_refused("not a valid feature name", [](NbestBuilder& b) { b.add_dense("\xff", {}); });
  check_refused("'x' is inf, a finite", [](NbestBuilder& b) { b.add_sparse("x", kInfinite); });
  check_refused("'x' is nan, a finite", [](NbestBuilder& b) { b.add_dense("x", std::vector{1.0, std::nan("")}); });
  check_refused("too large", [](NbestBuilder& b) { b.add_sparse("x", 1e39); });
  check_refused("too large", [](NbestBuilder& b) {
    b.add_sparse("x", 3e38);
    b.add_sparse("x", 3e38);
  });
  check_refused("the score is -inf", [](NbestBuilder& b) { b.set_score(-kInfinite); });
  check_refused("beyond 65535", [](NbestBuilder& b) { b.add_aligned_pair(0, 65536); });
  check_refused("ends before it begins", [](NbestBuilder& b) { b.add_phrase(2, 1, 0, 0); });
  check_refused("occurs twice", [](NbestBuilder& b) {
    b.add_dense("x", std::vector{1.0});
    b.add_dense("x", std::vector{1.0});
  });
  check_refused("has 2 values here and 1 before", [](NbestBuilder& b) {
    b.add_dense("x", std::vector{1.0});
    b.add_dense("x", std::vector{1.0, 2.0});
  });
  check_refused("dense columns", [](NbestBuilder& b) {
    b.add_dense("x", std::vector<double>(NbestBuilder::kMaxDenseColumns + 1, 1.0));
  });
  NbestBuilder builder;
  CHECK_THROWS(std::invalid_argument, "-1 is negative", builder.begin(-1));
}
