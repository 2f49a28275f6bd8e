#include "nbest/moses_writer.hpp"

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "nbest/moses_reader.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::nbest;

namespace {

const std::string kText =
    "1 ||| a b ||| LM= -0.5 TM= 1 2 s=1 ||| -3 ||| 0-1=0 ||| 0-0 1-1\n"
    "1 ||| ||| LM= 0 TM= 0 -0 t=0.25 s=2 ||| ||| |||\n"
    "4 ||| b ||| LM= 1e+300 TM= 5e-324 1 ||| 7 ||| ||| 2-2\n";

template <class T>
std::span<const T> all(const Buffer<T>& buffer) {
  return {buffer.data(), buffer.size()};
}

NbestView view_of(const NbestColumns& columns) {
  NbestView view;
  view.sentence_ids = all(columns.sentence_ids);
  view.sentence_offsets = all(columns.sentence_offsets);
  view.scores = all(columns.scores);
  view.dense_groups = columns.dense_groups;
  view.dense = all(columns.dense);
  view.dense_columns = columns.dense_columns;
  view.words = &columns.words;
  view.token_offsets = all(columns.tokens.offsets);
  view.tokens = all(columns.tokens.values);
  view.sparse_names = &columns.sparse_names;
  view.sparse_offsets = all(columns.sparse_columns.offsets);
  view.sparse_columns = all(columns.sparse_columns.values);
  view.sparse_values = all(columns.sparse_values);
  view.alignment_offsets = all(columns.alignment.offsets);
  view.alignment = all(columns.alignment.values);
  view.segmentation_offsets = all(columns.segmentation.offsets);
  view.segmentation = all(columns.segmentation.values);
  return view;
}

NbestColumns columns_of(const std::string& text) {
  MosesReader reader({});
  reader.feed(text);
  return reader.finish();
}

}  // namespace

TEST("what the writer writes is what the reader read") {
  const NbestColumns columns = columns_of(kText);
  const NbestView view = view_of(columns);
  view.check();
  CHECK_EQUAL(write_moses(view, {}, 0, 2), kText);
  CHECK_EQUAL(write_moses(view, {}, 1, 2), kText.substr(kText.find("4 |||")));
  CHECK_EQUAL(write_moses(view, {}, 1, 1), "");
  NbestView plain = view;
  plain.segmentation_offsets = {};
  CHECK_EQUAL(write_moses(plain, {.alignment_before_features = true}, 1, 2),
              "4 ||| b ||| 2-2 ||| LM= 1e+300 TM= 5e-324 1 ||| 7\n");
}

TEST("columns that lead nowhere are found before anything is written") {
  using Change = std::function<void(NbestView&)>;
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  const NbestColumns columns = columns_of(kText);
  static const std::vector<std::int64_t> far = {0, kFar, 3}, falling = {0, 2, 1, 3}, negative = {-1, 2, 3},
                                         late = {0, 2, 3, 9}, one = {0}, sentences = {0, 2, 4};
  static const std::vector<std::uint32_t> unknown = {0, 0xffffffffu, 0};
  const std::vector<Change> changes = {
      [](NbestView& v) { v.sentence_offsets = far; },
      [](NbestView& v) { v.sentence_offsets = negative; },
      [](NbestView& v) { v.sentence_offsets = sentences; },
      [](NbestView& v) { v.sentence_offsets = {}; },
      [](NbestView& v) { v.sentence_ids = v.sentence_ids.first(1); },
      [](NbestView& v) { v.scores = v.scores.first(1); },
      [](NbestView& v) { v.dense = v.dense.first(8); },
      [](NbestView& v) { v.dense_groups[1].size = 3; },
      [](NbestView& v) { v.dense_groups[1].first_column = static_cast<std::size_t>(-1); },
      [](NbestView& v) { v.dense_groups[0].name = "a b"; },
      [](NbestView& v) { v.dense_groups[0].name = ""; },
      [](NbestView& v) { v.token_offsets = falling; },
      [](NbestView& v) { v.token_offsets = late; },
      [](NbestView& v) { v.token_offsets = one; },
      [](NbestView& v) { v.tokens = unknown; },
      [](NbestView& v) { v.sparse_offsets = late; },
      [](NbestView& v) { v.sparse_offsets = {}; },
      [](NbestView& v) { v.sparse_columns = unknown; },
      [](NbestView& v) { v.sparse_values = v.sparse_values.first(2); },
      [](NbestView& v) { v.alignment_offsets = late; },
      [](NbestView& v) { v.alignment = v.alignment.first(1); },
      [](NbestView& v) { v.segmentation_offsets = falling; },
      [](NbestView& v) { v.segmentation = {}; },
  };
  for (const Change& change : changes) {
    NbestView view = view_of(columns);
    change(view);
    CHECK_THROWS(std::invalid_argument, "", view.check());
  }
}

TEST("words that would tear a line apart are not written") {
  const NbestColumns columns = columns_of(kText);
  for (const std::string word : {"a b", "|||", "", "\n", "\xff"}) {
    text::Vocabulary words;
    words.add(word);
    words.add("other");
    NbestView view = view_of(columns);
    view.words = &words;
    CHECK_THROWS(std::invalid_argument, "is not allowed in an n-best list", view.check());
  }
}
