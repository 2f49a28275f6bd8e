#include "search/constraint.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "testing/small_system.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::search;
using namespace isogloss::testing;

namespace {

std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// A sentence with all its translations.
struct Exhausted {
  SmallSystem system;
  std::unique_ptr<Decoder> decoder;
  Input input;
  std::vector<std::string> texts;  // all translations, best first
  std::vector<double> scores;

  static Exhausted make(std::uint32_t seed) {
    std::mt19937 random(seed);
    return Exhausted(random, seed);
  }

 private:
  Exhausted(std::mt19937& random, std::uint32_t seed) : system(random_rules(random, 25), random_arpa(random), seed) {
    DecoderOptions options;
    options.search.matches.hierarchical = seed % 2 == 0;
    options.search.collector.max_options = options.search.collector.max_scanned = 0;
    options.search.beam.beam_size = options.search.beam.pop_limit = 0;
    decoder = system.decoder(options, seed % 3 == 0);
    std::vector<double> weights;
    for (std::size_t i = 0; i < decoder->feature_names().size(); ++i)
      weights.push_back(0.01 * static_cast<double>(random() % 100) - 0.3);
    decoder->set_weights(weights);
    input = sentence(*decoder, {"a", seed % 5 == 0 ? "unheard" : "b", "c"});
    BatchRequest request;
    request.nbest = 100000;
    const auto all = decoder->translate({input}, request);
    for (std::size_t i = 0; i < all[0].candidates(); ++i) {
      texts.push_back(text_of(*decoder, all[0], i));
      scores.push_back(all[0].scores[i]);
    }
  }
};

}  // namespace

TEST("forced to a translation, the search finds its best derivation and no other words") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Exhausted given = Exhausted::make(seed);
    for (std::size_t i = 0; i < given.texts.size(); i += 1 + given.texts.size() / 7) {
      BatchConstraint constraint{{{split(given.texts[i]), {"out", "of", "reach"}}}, true, {}};
      BatchRequest request;
      request.nbest = 10;
      request.distinct = false;
      request.constraint = &constraint;
      const auto found = given.decoder->translate({given.input}, request);
      CHECK(found[0].candidates() > 0);
      CHECK_NEAR(found[0].scores[0], given.scores[i], 1e-3);
      for (std::size_t k = 0; k < found[0].candidates(); ++k)
        CHECK_EQUAL(text_of(*given.decoder, found[0], k), given.texts[i]);
    }
  }
}

TEST("what cannot be reached, or where there is nothing to reach, has no derivation") {
  const Exhausted given = Exhausted::make(1);
  BatchRequest request;
  const auto candidates = [&](const Input& input, BatchConstraint::Texts texts) {
    const BatchConstraint constraint{{std::move(texts)}, true, {}};
    request.constraint = &constraint;
    return given.decoder->translate({input}, request)[0].candidates();
  };
  CHECK_EQUAL(candidates(given.input, {{"out", "of", "reach"}}), 0u);
  CHECK_EQUAL(candidates(given.input, {}), 0u);
  CHECK_EQUAL(candidates({}, {}), 0u);
  CHECK_EQUAL(candidates({}, {{"A"}}), 0u);
  CHECK_EQUAL(candidates({}, {{}}), 1u);
  const BatchConstraint two{{{}, {}}, true, {}};
  request.constraint = &two;
  CHECK_THROWS(std::invalid_argument, "references for each", given.decoder->translate({given.input}, request));
}

TEST("an oracle is the translation with the highest BLEU of all") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Exhausted given = Exhausted::make(seed);
    std::mt19937 random(seed);
    BatchConstraint::Texts references;
    for (int k = 0; k < 2; ++k) {
      std::vector<std::string> words = split(given.texts[random() % given.texts.size()]);
      if (!words.empty()) words[random() % words.size()] = "A";
      references.push_back(words);
    }
    const SentenceBleu bleu{4, ReferenceLength::kClosest, {}};
    const BatchConstraint constraint{{references}, false, bleu};
    const auto one = constraint.of(0, given.input, given.decoder->wording());
    BatchRequest request;
    request.nbest = 100000;
    std::vector<double> expected;
    for (const TranslatedSentence& all : given.decoder->translate({given.input}, request))
      for (std::vector<WordId> words : all.words) {
        for (WordId& word : words) word = one->number(word);
        expected.push_back(one->final_score(words));
      }
    std::sort(expected.rbegin(), expected.rend());
    request.constraint = &constraint;
    const auto found = given.decoder->translate({given.input}, request);
    CHECK_EQUAL(found[0].candidates(), expected.size());
    for (std::size_t i = 0; i < found[0].candidates(); ++i) CHECK_NEAR(found[0].scores[i], expected[i], 1e-5);
  }
}

TEST("of the translations that begin as typed, the search finds the best, the last word perhaps half typed") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Exhausted given = Exhausted::make(seed);
    std::mt19937 random(seed);
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<std::string> typed = split(given.texts[random() % given.texts.size()]);
      typed.resize(random() % (typed.size() + 1));
      std::vector<std::string> half;
      if (!typed.empty() && random() % 2 == 0) {
        half.push_back(typed.back().substr(0, 1));
        typed.pop_back();
      }
      const auto begins = [&](const std::vector<std::string>& words) {
        if (words.size() < typed.size() + half.size()) return false;
        if (!std::equal(typed.begin(), typed.end(), words.begin())) return false;
        return half.empty() || words[typed.size()].starts_with(half[0]);
      };
      std::vector<double> expected, others;
      std::string next;
      for (std::size_t i = 0; i < given.texts.size(); ++i) {
        const std::vector<std::string> words = split(given.texts[i]);
        if (!begins(words)) continue;
        expected.push_back(given.scores[i]);
        if (words.size() == typed.size()) continue;
        if (next.empty()) next = words[typed.size()];
        if (words[typed.size()] != next) others.push_back(given.scores[i]);
      }
      BatchConstraint constraint{{{typed, half}}, false, {}};
      constraint.begun = true;
      BatchRequest request;
      request.nbest = 100000;
      request.constraint = &constraint;
      const auto found = given.decoder->translate({given.input}, request);
      CHECK_EQUAL(found[0].candidates(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK_NEAR(found[0].scores[i], expected[i], 1e-3);
      if (next.empty()) continue;
      constraint.references[0] = {typed, half, {next}};  // and what follows must not be this
      const auto but = given.decoder->translate({given.input}, request);
      CHECK_EQUAL(but[0].candidates(), others.size());
      for (std::size_t i = 0; i < others.size(); ++i) CHECK_NEAR(but[0].scores[i], others[i], 1e-3);
    }
  }
}
