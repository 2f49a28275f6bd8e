#include "lm/model.hpp"

#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/phrase.hpp"
#include "lm/sentences.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::lm;

namespace {

/// A model and what it is a view of.
struct Loaded {
  text::Vocabulary vocabulary;
  ArpaReader reader{vocabulary};
  TableBuilder<WordBucket> index{0, kWordLoad};
  ModelArrays arrays;

  explicit Loaded(const std::string& arpa) {
    reader.feed(arpa);
    reader.finish();
    index = index_words(vocabulary);
    arrays.order = reader.order();
    arrays.begin = reader.special().begin;
    arrays.end = reader.special().end;
    arrays.unknown = reader.special().unknown;
    arrays.unigrams = {reader.unigrams().data(), reader.unigrams().size()};
    for (unsigned order = 2; order < reader.order(); ++order)
      arrays.middle[order - 2] = reader.middle(order).buckets();
    if (reader.order() > 1) arrays.longest = reader.longest().buckets();
    arrays.words = index.buckets();
  }
  Loaded(const Loaded&) = delete;

  Model model() const { return Model(arrays); }
};

const char* const kTiny =
    "\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n"
    "\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.5\n-1\t</s>\n-0.7\ta\t-0.3\n-0.8\tb\t-0.1\n\n"
    "\\2-grams:\n-0.4\t<s> a\t-0.2\n-0.25\ta b\t-0.15\n-0.35\tb </s>\n\n"
    "\\3-grams:\n-0.05\t<s> a b\n\n\\end\\\n";

/// Random n-grams over `words` words, some without the shorter ones they begin or end with.
std::string random_arpa(std::mt19937& random, unsigned order, unsigned words) {
  std::uniform_real_distribution<float> weight(-3, -0.01f);
  std::string body;
  std::vector<std::size_t> counts;
  for (unsigned n = 1; n <= order; ++n) {
    std::vector<std::string> ngrams;
    std::size_t possible = 1;
    for (unsigned i = 0; i < n; ++i) possible *= words;
    for (std::size_t code = 0; code < possible; ++code) {
      if (n > 1 && random() % 3 == 0) continue;
      std::string ngram;
      std::size_t rest = code;
      for (unsigned i = 0; i < n; ++i, rest /= words)
        ngram += (i ? " w" : "w") + std::to_string(rest % words);
      ngrams.push_back(ngram);
    }
    body += "\n\\" + std::to_string(n) + "-grams:\n";
    if (n == 1) {
      for (const char* special : {"<unk>", "<s>", "</s>"}) ngrams.emplace_back(special);
    }
    counts.push_back(ngrams.size());
    for (const std::string& ngram : ngrams) {
      body += std::to_string(weight(random)) + "\t" + ngram;
      if (n < order && random() % 4 != 0) body += "\t" + std::to_string(weight(random));
      body += "\n";
    }
  }
  std::string header = "\\data\\\n";
  for (unsigned n = 1; n <= order; ++n)
    header += "ngram " + std::to_string(n) + "=" + std::to_string(counts[n - 1]) + "\n";
  return header + body + "\n\\end\\\n";
}

}  // namespace

TEST("keys of n-grams are part of the stored form and do not change") {
  const WordId words[] = {1, 2, 3};
  CHECK_EQUAL(ngram_key(words, 3), 0x1366a6fca001e3cULL);
  CHECK_EQUAL(ngram_key(words + 1, 2), 0xc2021ba74994ee17ULL);
  CHECK_EQUAL(extend_left(ngram_key(words + 1, 2), 1), ngram_key(words, 3));
}

TEST("a model backs off and keeps no more state than it needs") {
  const Loaded loaded(kTiny);
  const Model model = loaded.model();
  const WordId a = model.find("a"), b = model.find("b");
  State one, two;
  const State& begin = model.begin_sentence();
  CHECK_EQUAL(begin.length, 1u);

  const WordScore first = model.score(begin, a, one);
  CHECK_NEAR(first.log_prob, -0.4, 1e-6);
  CHECK_EQUAL(first.matched, 2u);
  CHECK_EQUAL(one.length, 2u);
  const WordScore second = model.score(one, b, two);
  CHECK_NEAR(second.log_prob, -0.05, 1e-6);
  CHECK_EQUAL(second.matched, 3u);
  CHECK_EQUAL(two.length, 2u);  // a b has a back-off weight, though nothing begins with it
  const WordScore end = model.score(two, model.end_of_sentence(), one);
  CHECK_NEAR(end.log_prob, -0.15 - 0.35, 1e-6);
  CHECK_EQUAL(one.length, 0u);

  // Unknown words, in whatever way they come.
  for (WordId word : {model.unknown(), kNoWord, WordId{4711}}) {
    CHECK_NEAR(model.score(begin, word, one).log_prob, -0.5 - 2, 1e-6);
    CHECK_EQUAL(one.length, 0u);
  }
  CHECK_EQUAL(model.find("nothing"), model.unknown());
  CHECK(!model.known(model.unknown()));
  CHECK(model.known(a));
}

TEST("a score is open if words on the left could make its n-gram longer") {
  const Loaded loaded(kTiny);
  const Model model = loaded.model();
  State state, next;
  CHECK(model.score(state, model.find("a"), next).open);   // <s> a
  CHECK(!model.score(state, model.unknown(), next).open);  // nothing ends with <unk>
  model.score(state, model.find("a"), next);
  CHECK(model.score(next, model.find("b"), state).open);  // <s> a b
  CHECK(!model.score(model.begin_sentence(), model.find("a"), next).open);
}

TEST("states are equal and hash alike if the words that count are the same") {
  const Loaded loaded(kTiny);
  const Model model = loaded.model();
  State empty, one, other;
  model.score(empty, model.find("a"), one);
  model.score(model.begin_sentence(), model.find("a"), other);
  CHECK(!(one == other));
  model.score(one, model.find("b"), other);
  model.score(other, model.end_of_sentence(), one);
  CHECK(one == empty);
  CHECK_EQUAL(one.hash(), empty.hash());
}

TEST("joining a phrase gives what scoring word by word gives") {
  std::mt19937 random(5);
  for (unsigned order = 1; order <= 5; ++order)
    for (int round = 0; round < 6; ++round) {
      const Loaded loaded(random_arpa(random, order, 3));
      const Model model = loaded.model();
      for (int trial = 0; trial < 60; ++trial) {
        State state = trial % 3 == 0 ? model.begin_sentence() : State{};
        State next;
        for (unsigned i = random() % 5; i-- > 0; state = next) model.score(state, random() % 8, next);
        std::vector<WordId> words(random() % 8);
        for (WordId& word : words) word = random() % 8;
        const ScoredPhrase phrase = score_phrase(model, words);
        State joined;
        const float added = join(model, state, words, phrase, joined);
        float expected = 0, alone = 0;
        State context = state, fresh;
        for (WordId word : words) {
          expected += model.score(context, word, next).log_prob;
          context = next;
          alone += model.score(fresh, word, next).log_prob;
          fresh = next;
        }
        CHECK_NEAR(added, expected, 1e-4);
        CHECK_NEAR(phrase.total(), alone, 1e-4);
        CHECK(joined == context);
        CHECK(phrase.open < std::max(model.order(), 1u));
      }
    }
}

TEST("scores of sentences are the sums of the scores of their words, on any number of threads") {
  std::mt19937 random(7);
  const Loaded loaded(random_arpa(random, 4, 4));
  const Model model = loaded.model();
  std::vector<std::string> texts;
  for (int i = 0; i < 700; ++i) {
    std::string text = i % 5 == 0 ? " " : "";
    for (unsigned k = random() % 12; k-- > 0;)
      text += "w" + std::to_string(random() % 6) + (k % 3 ? " " : "\t ");
    texts.push_back(text);
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (const SentenceOptions options :
       {SentenceOptions{true, true}, {false, true}, {true, false}, {false, false}}) {
    std::vector<SentenceScore> one(views.size()), many(views.size());
    score_sentences(model, views, options, 1, one);
    score_sentences(model, views, options, 3, many);
    for (std::size_t i = 0; i < views.size(); ++i) {
      double sum = 0;
      std::size_t unknown = 0;
      const std::vector<ScoredWord> words = score_words(model, views[i], options);
      for (const ScoredWord& scored : words) {
        sum += static_cast<double>(scored.score.log_prob);
        unknown += scored.word == model.unknown();
      }
      CHECK_EQUAL(one[i].log_prob, sum);
      CHECK_EQUAL(one[i].words, words.size());
      CHECK_EQUAL(one[i].unknown, unknown);
      CHECK_EQUAL(one[i].log_prob, many[i].log_prob);
    }
  }
}

TEST("damaged tables give wrong scores but never run away") {
  std::mt19937_64 random(3);
  std::vector<MiddleBucket> middle(7);
  std::vector<LongestBucket> longest(5);
  std::vector<WordBucket> words(3);
  std::vector<Weights> unigrams(20);
  for (int round = 0; round < 200; ++round) {
    const auto fill = [&](void* memory, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i)
        static_cast<unsigned char*>(memory)[i] = static_cast<unsigned char>(random());
    };
    fill(middle.data(), middle.size() * sizeof(MiddleBucket));
    fill(longest.data(), longest.size() * sizeof(LongestBucket));
    fill(words.data(), words.size() * sizeof(WordBucket));
    fill(unigrams.data(), unigrams.size() * sizeof(Weights));
    ModelArrays arrays;
    arrays.order = 1 + random() % kMaxOrder;
    arrays.begin = 0, arrays.end = 1, arrays.unknown = 2;
    arrays.unigrams = unigrams;
    for (auto& table : arrays.middle) table = middle;
    arrays.longest = longest;
    arrays.words = words;
    const Model model(arrays);
    State state = model.begin_sentence(), next;
    for (int i = 0; i < 100; ++i, state = next) {
      // Keys that are in the tables, so that searches also find something.
      const WordId word = model.find_hash(words[random() % 3].keys[random() % 5]);
      model.score(state, i % 2 ? word : static_cast<WordId>(random() % 25), next);
      CHECK(next.length < kMaxOrder);
    }
  }
}

TEST("a model refuses arrays that do not fit") {
  ModelArrays arrays;
  CHECK_THROWS(std::invalid_argument, "order 0", Model{arrays});
  arrays.order = 8;
  CHECK_THROWS(std::invalid_argument, "order 8", Model{arrays});
  arrays.order = 2;
  CHECK_THROWS(std::invalid_argument, "special word", Model{arrays});
}
