#include "search/oracle.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"

namespace isogloss::search {
namespace {

// Of the linear approximation: the precision of words, and how much less each longer n-gram has.
constexpr double kPrecision = 0.7, kDecay = 0.7;

}  // namespace

std::uint64_t OracleConstraint::State::hash() const {
  std::uint64_t hash = std::uint64_t{context} << 32 | length;
  for (std::uint16_t count : used) hash = combine64(hash, count);
  return mix64(hash);
}

OracleConstraint::OracleConstraint(References references, const SentenceBleu& bleu)
    : Constraint(std::move(references)), bleu_(bleu) {
  std::vector<std::int32_t> lengths;
  double words = 0;
  for (const std::vector<WordId>& text : texts()) {
    lengths.push_back(static_cast<std::int32_t>(text.size()));
    words += static_cast<double>(text.size());
  }
  const double mean = std::max(1.0, words / static_cast<double>(lengths.size()));
  lengths_.assign(std::move(lengths), bleu_.length);
  count_ngrams();
  per_word_ = -1.0 / mean;
  gains_.push_back(0.0);
  for (std::size_t size = 1; size <= bleu_.order; ++size)
    gains_.push_back(1.0 / (static_cast<double>(bleu_.order) * mean * kPrecision *
                            std::pow(kDecay, static_cast<double>(size - 1))));
  State start;
  start.used.assign(ngrams_.size(), 0);
  states_.number(start);
}

void OracleConstraint::count_ngrams() {
  ngrams_.push_back({0, 0, 0});
  std::vector<std::uint16_t> counts;
  for (const std::vector<WordId>& text : texts()) {
    counts.assign(ngrams_.size(), 0);
    // From the last word on, what an n-gram is without its first word is there before it.
    for (std::size_t begin = text.size(); begin-- > 0;) {
      std::uint32_t node = 0, shorter = 0;
      for (std::size_t size = 1; size <= std::min(bleu_.order, text.size() - begin); ++size) {
        const WordId word = text[begin + size - 1];
        node = tree_.add(node, word);
        if (size > 1) shorter = tree_.child(shorter, word);
        if (node == ngrams_.size()) {
          ngrams_.push_back({shorter, static_cast<std::uint16_t>(size), 0});
          counts.push_back(0);
        }
        if (counts[node] < 0xffff) ++counts[node];
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) ngrams_[i].limit = std::max(ngrams_[i].limit, counts[i]);
  }
}

template <class Match>
std::uint32_t OracleConstraint::read(std::uint32_t context, WordId word, Match&& match) const {
  if (word == 0) return 0;
  std::uint32_t longest = tree_.child(context, word);
  while (longest == WordTree::kAbsent && context != 0) {
    context = ngrams_[context].shorter;
    longest = tree_.child(context, word);
  }
  if (longest == WordTree::kAbsent) return 0;
  // All that a matched n-gram ends in is in the references too.
  for (std::uint32_t ngram = longest; ngram != 0; ngram = ngrams_[ngram].shorter) match(ngram);
  return ngrams_[longest].size < bleu_.order ? longest : ngrams_[longest].shorter;
}

float OracleConstraint::score(std::uint32_t number, std::span<const WordId> words) const {
  const State& state = states_[number];
  matched_.clear();
  double sum = per_word_ * static_cast<double>(words.size());
  std::uint32_t context = state.context;
  for (WordId word : words)
    context = read(context, word, [&](std::uint32_t ngram) {
      const auto again = std::count(matched_.begin(), matched_.end(), ngram);
      if (state.used[ngram] + again >= ngrams_[ngram].limit) return;
      matched_.push_back(ngram);
      sum += gains_[ngrams_[ngram].size];
    });
  return static_cast<float>(sum);
}

void OracleConstraint::add(State& state, std::span<const WordId> words) const {
  for (WordId word : words)
    state.context = read(state.context, word, [&](std::uint32_t ngram) {
      if (state.used[ngram] < ngrams_[ngram].limit) ++state.used[ngram];
    });
  state.length += static_cast<std::uint32_t>(words.size());
}

std::uint32_t OracleConstraint::after(std::uint32_t number, std::span<const WordId> words) {
  State state = states_[number];
  add(state, words);
  return states_.number(state);
}

std::vector<std::uint32_t> OracleConstraint::matches(const State& state) const {
  std::vector<std::uint32_t> matches(bleu_.order + 1, 0);
  for (std::size_t i = 1; i < state.used.size(); ++i) matches[ngrams_[i].size] += state.used[i];
  return matches;
}

double OracleConstraint::approximation(const State& state) const {
  const auto matched = matches(state);
  double sum = per_word_ * static_cast<double>(state.length);
  for (std::size_t size = 1; size < matched.size(); ++size) sum += gains_[size] * matched[size];
  return sum;
}

double OracleConstraint::bleu(const State& state) const {
  const auto matched = matches(state);
  const auto length = static_cast<std::int32_t>(state.length);
  std::vector<std::int32_t> row{length, lengths_.closest(length)};
  for (std::size_t size = 1; size <= bleu_.order; ++size) row.push_back(static_cast<std::int32_t>(matched[size]));
  for (std::size_t size = 1; size <= bleu_.order; ++size)
    row.push_back(std::max(0, length - static_cast<std::int32_t>(size) + 1));
  double score = 0;
  bleu_scores(std::span<const std::int32_t>(row), {}, bleu_.order, bleu_.options, 1, &score);
  return score;
}

float OracleConstraint::end(std::uint32_t number) const {
  return static_cast<float>(bleu(states_[number]) - approximation(states_[number]));
}

double OracleConstraint::final_score(std::span<const WordId> words) const {
  State state = states_[start()];
  add(state, words);
  return bleu(state);
}

}  // namespace isogloss::search
