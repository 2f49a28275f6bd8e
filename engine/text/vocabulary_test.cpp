#include "text/vocabulary.hpp"

#include <stdexcept>
#include <string>

#include "testing/test.hpp"

using isogloss::kNoWord;
using isogloss::text::Vocabulary;

TEST("a vocabulary numbers words in order of first appearance") {
  Vocabulary words;
  CHECK_EQUAL(words.add("the"), 0u);
  CHECK_EQUAL(words.add(""), 1u);
  CHECK_EQUAL(words.add("the"), 0u);
  CHECK_EQUAL(words.find("cat"), kNoWord);
  CHECK_EQUAL(words.size(), 2u);
  CHECK_EQUAL(words.word(0), "the");
  CHECK_EQUAL(words.word(1), "");
}

TEST("a vocabulary keeps every word while it grows") {
  Vocabulary words;
  for (unsigned i = 0; i < 20000; ++i) CHECK_EQUAL(words.add("w" + std::to_string(i)), i);
  for (unsigned i = 0; i < 20000; ++i) CHECK_EQUAL(words.find("w" + std::to_string(i)), i);
}

TEST("a vocabulary comes back from its two arrays and refuses broken ones") {
  Vocabulary words;
  words.add("ab");
  words.add("c");
  const Vocabulary again(words.bytes(), words.offsets().data(), words.size());
  CHECK_EQUAL(again.find("c"), 1u);
  const std::uint64_t falling[] = {0, 3, 2};
  CHECK_THROWS(std::invalid_argument, "span", Vocabulary("abc", falling, 2));
  const std::uint64_t beyond[] = {0, 9, 3};
  CHECK_THROWS(std::invalid_argument, "out of order", Vocabulary("abc", beyond, 2));
  const std::uint64_t twice[] = {0, 1, 2};
  CHECK_THROWS(std::invalid_argument, "twice", Vocabulary("aa", twice, 2));
  const std::uint64_t torn[] = {0, 1, 2};
  CHECK_THROWS(std::invalid_argument, "word 0 is not valid UTF-8", Vocabulary("\xc3\xa9", torn, 2));
}
