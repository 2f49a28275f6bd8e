#include "selection/ngram_sampler.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "testing/test.hpp"

namespace isogloss::selection {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::map<Words, std::uint64_t> ngrams(const Words& words, std::size_t order) {
  std::map<Words, std::uint64_t> counts;
  for (std::size_t begin = 0; begin < words.size(); ++begin)
    for (std::size_t n = 1; n <= order && begin + n <= words.size(); ++n)
      ++counts[Words(words.begin() + static_cast<std::ptrdiff_t>(begin),
                     words.begin() + static_cast<std::ptrdiff_t>(begin + n))];
  return counts;
}

/// The precision times 5040 · order, exact for sentences of up to 7 words.
std::uint64_t precision(const Words& sentence, const Words& text, std::size_t order) {
  std::uint64_t sum = 0;
  const auto other = ngrams(text, order);
  for (const auto& [ngram, count] : ngrams(sentence, order))
    if (other.contains(ngram))
      sum += std::min(count, other.at(ngram)) * (5040 / (sentence.size() - ngram.size() + 1));
  return sum;
}

std::vector<std::string> random_lines(std::mt19937& random, std::size_t lines) {
  std::vector<std::string> made(lines);
  for (std::string& line : made)
    for (std::size_t k = random() % 8; k > 0; --k)
      line += std::string(" ") + static_cast<char>('a' + std::min(random() % 6, random() % 6));
  return made;
}

TEST("chosen are the most precise sentences that have an n-gram, whatever the threads and the batches") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> corpus = random_lines(random, 120), text = random_lines(random, 6);
    const unsigned order = 1 + seed % 4;
    const std::uint32_t coverage = 1 + seed % 3;
    std::map<std::uint64_t, std::uint32_t> expected;  // the least place in any ranking
    for (const std::string& line : text) {
      for (const auto& [ngram, unused] : ngrams(split(line), order)) {
        std::vector<std::pair<std::int64_t, std::uint64_t>> ranked;
        for (std::size_t i = 0; i < corpus.size(); ++i)
          if (ngrams(split(corpus[i]), order).contains(ngram))
            ranked.emplace_back(-static_cast<std::int64_t>(precision(split(corpus[i]), split(line), order)), i);
        std::sort(ranked.begin(), ranked.end());
        for (std::uint32_t place = 1; place <= coverage && place <= ranked.size(); ++place) {
          auto [known, fresh] = expected.emplace(ranked[place - 1].second, place);
          known->second = std::min(known->second, place);
        }
      }
    }
    NgramSampler sampler(order, coverage);
    for (const std::string& line : text) sampler.add_text(line);
    const std::vector<std::string_view> lines(corpus.begin(), corpus.end());
    sampler.feed(std::span(lines).first(50), 1 + seed % 3);
    sampler.feed(std::span(lines).subspan(50), 2);
    const std::vector<Choice> chosen = sampler.chosen();
    CHECK_EQUAL(chosen.size(), expected.size());
    for (const Choice& choice : chosen) {
      CHECK(expected.contains(choice.sentence));
      CHECK_EQUAL(expected[choice.sentence], choice.depth);
      CHECK(choice.precision > 0 && choice.precision <= 1 && choice.worth > 0);
    }
  }
}

TEST("texts and n-grams are counted once") {
  NgramSampler sampler(2, 1);
  for (std::string_view line : {"a b", " a  b ", "", "b c"}) sampler.add_text(line);
  const std::vector<std::string_view> corpus{"b c x", "", "c"};
  sampler.feed(corpus, 1);
  CHECK_EQUAL(sampler.texts(), 2u);
  CHECK_EQUAL(sampler.sentences(), 3u);
  CHECK_EQUAL(sampler.words(), 4u);
  CHECK(sampler.ngrams() == (std::vector<std::size_t>{3, 2}));
  CHECK(sampler.found() == (std::vector<std::size_t>{2, 1}));
  CHECK_THROWS(std::logic_error, "before the corpus begins", sampler.add_text("late"));
  CHECK_THROWS(std::invalid_argument, "between 1 and 9", NgramSampler(10, 1));
}

TEST("a text without words chooses nothing") {
  NgramSampler sampler(3, 5);
  sampler.add_text("");
  const std::vector<std::string_view> corpus{"a", "b"};
  sampler.feed(corpus, 2);
  CHECK(sampler.chosen().empty());
}

}  // namespace
}  // namespace isogloss::selection
