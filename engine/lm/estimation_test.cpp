#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/counter.hpp"
#include "lm/kneser_ney.hpp"
#include "lm/merge.hpp"
#include "lm/trie.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::lm;

namespace {

struct Corpus {
  text::Vocabulary vocabulary;
  SpecialWords special;

  Corpus() : special{0, 0, 0} {
    special.unknown = vocabulary.add("<unk>");
    special.begin = vocabulary.add("<s>");
    special.end = vocabulary.add("</s>");
  }
};

using Columns = std::vector<std::vector<std::uint32_t>>;

Columns columns_of(TrieBuilder& builder) {
  Columns all;
  for (unsigned order = 1; order <= builder.order(); ++order) {
    const TrieColumns columns = builder.take(order);
    for (const Buffer<std::uint32_t>* column : {&columns.words, &columns.counts, &columns.children})
      all.emplace_back(column->begin(), column->end());
  }
  return all;
}

/// Counts a text, cut into blocks of `block` bytes whose runs are merged `piece` records at a time; block 0
/// counts all at once.
Columns count(const std::string& text, unsigned order, std::size_t block, std::size_t piece) {
  Corpus corpus;
  Counter counter(corpus.vocabulary, order, corpus.special, false);
  TrieBuilder builder(order, {0}, corpus.special);
  if (block == 0) {
    counter.feed(text);
    counter.end_file();
    counter.begin_sort();
    while (!counter.sort_some(3, 2)) {
    }
    while (!counter.emit(builder, 5)) {
    }
  } else {
    std::vector<Buffer<std::uint32_t>> runs;
    for (std::size_t at = 0;; at += block) {
      const bool last = at + block >= text.size();
      counter.feed(std::string_view(text).substr(at, block));
      if (last) counter.end_file();
      counter.begin_sort();
      while (!counter.sort_some(100, 1)) {
      }
      runs.emplace_back();
      while (!counter.emit(runs.back(), 4)) {
      }
      counter.clear();
      if (last) break;
    }
    lm::RunMerger merger(order, runs.size(), corpus.special.begin);
    std::vector<std::size_t> at(runs.size());
    for (std::size_t run; (run = merger.advance(builder)) != lm::RunMerger::kDone;) {
      const std::size_t more = std::min(piece * (order + 1), runs[run].size() - at[run]);
      merger.feed(run, {runs[run].data() + at[run], more});
      at[run] += more;
    }
  }
  builder.finish(corpus.vocabulary.size());
  return columns_of(builder);
}

}  // namespace

TEST("counts are adjusted: different left neighbors, but occurrences after <s> and at the highest order") {
  // <unk> <s> </s> a b are 0 1 2 3 4. Bigrams, by last word: </s>: b; a: <s>, b; b: a.
  const Columns columns = count("a b\na b\na b a b\n", 2, 0, 0);
  CHECK(columns[1] == std::vector<std::uint32_t>({0, 0, 1, 2, 1}));  // unigrams: different left neighbors
  CHECK(columns[2] == std::vector<std::uint32_t>({0, 0, 0, 1, 3, 4}));
  CHECK(columns[3] == std::vector<std::uint32_t>({4, 1, 4, 3}));
  CHECK(columns[4] == std::vector<std::uint32_t>({3, 3, 1, 4}));
}

TEST("merged runs give the same counts as one block, wherever the text is cut") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    std::string text;
    for (int line = 0; line < 12; ++line) {
      for (unsigned k = random() % 7; k-- > 0;) text += "w" + std::to_string(random() % 5) + " ";
      text += line % 3 == 0 ? "\r\n" : "\n";
    }
    for (unsigned order = 1; order <= 5; ++order) {
      const Columns whole = count(text, order, 0, 0);
      CHECK(count(text, order, 1 + random() % 40, 1 + random() % 6) == whole);
      CHECK(count(text, order, 1, 1) == whole);
    }
  }
}

TEST("columns can be taken while they grow") {
  Corpus corpus;
  TrieBuilder whole(2, {0}, corpus.special), parts(2, {0}, corpus.special);
  Columns taken(6);
  for (WordId last = 2; last < 9; last += 2)
    for (WordId first = 1; first < 5; ++first) {
      const WordId words[] = {last, first};
      whole.add(words, 2, first);
      parts.add(words, 2, first);
      const Columns more = columns_of(parts);
      for (std::size_t i = 0; i < taken.size(); ++i)
        taken[i].insert(taken[i].end(), more[i].begin(), more[i].end());
    }
  whole.finish(10);
  parts.finish(10);
  const Columns more = columns_of(parts);
  for (std::size_t i = 0; i < taken.size(); ++i)
    taken[i].insert(taken[i].end(), more[i].begin(), more[i].end());
  CHECK(taken == columns_of(whole));
}

TEST("a cursor walks all n-grams of an order, from any entry") {
  Corpus corpus;
  Counter counter(corpus.vocabulary, 3, corpus.special, false);
  counter.feed("the cat sat\nthe dog sat\n\na cat sat there\n");
  counter.begin_sort();
  while (!counter.sort_some(1000, 1)) {
  }
  TrieBuilder builder(3, {0}, corpus.special);
  while (!counter.emit(builder, 1000)) {
  }
  builder.finish(corpus.vocabulary.size());
  std::vector<TrieColumns> columns;
  Trie trie;
  for (unsigned order = 1; order <= 3; ++order) columns.push_back(builder.take(order));
  for (const TrieColumns& c : columns)
    trie.levels.push_back({{c.words.data(), c.words.size()},
                           {c.counts.data(), c.counts.size()},
                           {c.children.data(), c.children.size()}});
  for (unsigned order = 1; order <= 3; ++order) {
    std::vector<std::string> walked, jumped;
    const std::size_t size = trie.levels[order - 1].counts.size();
    const auto text = [&](const TrieCursor& cursor) {
      std::string words;
      for (unsigned i = 0; i < order; ++i)
        words += std::string(corpus.vocabulary.word(cursor.words()[i])) + " ";
      CHECK_EQUAL(cursor.key(), ngram_key(cursor.words(), order));
      return words;
    };
    TrieCursor cursor(trie, order, 0);
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) cursor.advance();
      walked.push_back(text(cursor));
      jumped.push_back(text(TrieCursor(trie, order, i)));
    }
    CHECK(walked == jumped);
    if (order == 3) CHECK_EQUAL(walked.size(), 10u);
  }
}

TEST("special words and bad bytes in a text are errors with their line") {
  const auto feed = [](const std::string& text) {
    Corpus corpus;
    Counter counter(corpus.vocabulary, 2, corpus.special, false);
    counter.feed(text);
    counter.end_file();
  };
  CHECK_THROWS(LineError, "'<s>' is reserved", feed("a\nb <s> c\n"));
  CHECK_THROWS(LineError, "not valid UTF-8", feed("a\nb\nc\xff"));
  try {
    feed("a\nb\n</s>");
  } catch (const LineError& error) {
    CHECK_EQUAL(error.line, 3u);
  }
}

TEST("a byte order mark is not part of the first word, and empty lines are sentences") {
  Corpus corpus;
  Counter counter(corpus.vocabulary, 2, corpus.special, false);
  counter.feed("\xef\xbb");
  counter.feed("\xbfword\n\n  \nlast");
  counter.end_file();
  CHECK_EQUAL(counter.sentences(), 4u);
  CHECK_EQUAL(counter.words(), 2u);
  CHECK(corpus.vocabulary.find("word") != kNoWord);
}

TEST("ARPA files are read however they are cut, and errors name the line") {
  const std::string good =
      "\n\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1 <unk>\n-1 <s> -0.5\n-1 </s>\n-1 a -0.25\n\n"
      "\\2-grams:\n-0.5 <s> a\n\n\\end\\\n";
  for (std::size_t cut = 0; cut <= good.size(); ++cut) {
    text::Vocabulary vocabulary;
    ArpaReader reader(vocabulary);
    reader.feed(good.substr(0, cut));
    reader.feed(good.substr(cut));
    reader.finish();
    CHECK_EQUAL(reader.order(), 2u);
    CHECK(reader.has_unknown());
  }
  // Cut off anywhere before its last line it is an error.
  for (std::size_t cut = 0; cut + 6 < good.size(); ++cut) {
    text::Vocabulary vocabulary;
    ArpaReader reader(vocabulary);
    bool failed = false;
    try {
      reader.feed(good.substr(0, cut));
      reader.finish();
    } catch (const LineError& error) {
      failed = error.line >= 1 && error.line <= 15;
    }
    CHECK(failed);
  }
}
