#include "nbest/moses_reader.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::nbest;

namespace {

const std::string kList =
    "0 ||| na\xc3\xafve house ||| LM= -1.5 TM= 1 2 s=0.5 ||| -3 ||| 0-1=0-0 2=1 ||| 0-0 1-1\r\n"
    "3 |||  ||| TM= 3 4 \n"
    "1 ||| a\xc2\xa0" "b ||| x=y=1 x=y=2 |||\n";

NbestColumns read(const std::string& text, std::size_t piece, MosesReader::Options options = {}) {
  MosesReader reader(options);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(std::string_view(text).substr(at, piece));
  return reader.finish();
}

}  // namespace

TEST("the reader finds every field, whatever the size of the pieces") {
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u}) {
    const NbestColumns columns = read(kList, piece);
    CHECK_EQUAL(columns.candidates(), 3u);
    CHECK_EQUAL(columns.sentence_ids[2], 3);
    CHECK_EQUAL(columns.words.word(0), "na\xc3\xafve");
    CHECK_EQUAL(columns.tokens.offsets[2], 3);
    CHECK_EQUAL(columns.scores[0], -3.0);
    CHECK(columns.scores[1] != columns.scores[1]);  // missing
    CHECK_EQUAL(columns.dense_columns, 3u);
    CHECK_EQUAL(columns.dense[0], -1.5);
    CHECK_EQUAL(columns.dense[8], 4.0);
    CHECK_EQUAL(columns.sparse_names.word(1), "x=y");
    CHECK_EQUAL(columns.sparse_values[1], 3.0f);
    CHECK_EQUAL(columns.alignment.values.size(), 2u);
    CHECK_EQUAL(columns.segmentation.values.size(), 2u);
    CHECK_EQUAL(columns.segmentation.values[1].source_first, 2);
  }
}

TEST("words may be all there is of a candidate") {
  const NbestColumns columns = read("0 ||| a b\n0 ||| c ||| LM= 1\n", 100);
  CHECK_EQUAL(columns.candidates(), 2u);
  CHECK_EQUAL(columns.tokens.values.size(), 3u);
  CHECK_EQUAL(columns.dense[1], 1.0);
  CHECK(columns.scores[0] != columns.scores[0]);  // missing
}

TEST("Marian's dialect: named values are dense, fields before the features are links or scores of words") {
  const std::string text = "0 ||| a ||| 0-0 ||| WordScores= -1 -4 ||| F0=1 F1= 2 ||| 3\n";
  const NbestColumns columns =
      read(text, 100, {.named_values_are_dense = true, .fields_before_features = true});
  CHECK_EQUAL(columns.dense_columns, 4u);  // the lowest score of a word and their number come first
  CHECK_EQUAL(columns.alignment.values.size(), 1u);
  CHECK_EQUAL(columns.scores[0], 3.0);
}

TEST("a wrong line is named by its number") {
  for (const std::string wrong : {"", "0", "x ||| a ||| |||", "0 ||| \xff ||| |||", "0 ||| a ||| = |||",
                                  "0 ||| a ||| 1 |||", "0 ||| a ||| x= y |||", "0 ||| a ||| ||| 1 2",
                                  "0 ||| a ||| ||| ||| 0-", "0 ||| a ||| ||| ||| -=-", "|||", "||| |||"}) {
    MosesReader reader({});
    reader.feed("0 ||| a ||| |||\n");
    std::uint64_t refused = 0;
    try {
      reader.feed(wrong + "\n");
    } catch (const LineError& error) {
      refused = error.line;
    }
    CHECK_EQUAL(refused, 2u);
  }
}

TEST("a reader whose line was refused half-way takes no more") {
  MosesReader reader({});
  CHECK_THROWS(LineError, "'x', a number", reader.feed("0 ||| a ||| LM= x ||| 1\n"));
  CHECK_THROWS(std::logic_error, "refused", reader.feed("0 ||| a ||| LM= 1 ||| 1\n"));
  CHECK_THROWS(std::logic_error, "refused", reader.finish());
}

TEST("damaged lists are read or refused, never more") {
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  const std::string bytes = std::string("|= \t\r\n:-.e+0129ainf\xff\xc3\x80", 22) + '\0';
  std::size_t accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = kList;
    for (std::size_t edits = 1 + random(4); edits > 0; --edits) {
      const std::size_t at = random(text.size());
      switch (random(3)) {
        case 0: text.erase(at, 1 + random(5)); break;
        case 1: text.insert(at, 1, bytes[random(bytes.size())]); break;
        default: text[at] = bytes[random(bytes.size())];
      }
    }
    try {
      const NbestColumns columns = read(text, 1 + random(40));
      ++accepted;
      CHECK_EQUAL(columns.tokens.offsets.size(), columns.candidates() + 1);
      CHECK_EQUAL(columns.dense.size(), columns.candidates() * columns.dense_columns);
      CHECK_EQUAL(columns.sparse_columns.values.size(), columns.sparse_values.size());
    } catch (const LineError&) {
    }
  }
  CHECK(accepted > 100);
}
