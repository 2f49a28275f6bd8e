#include "lm/phrase.hpp"

#include <utility>

namespace isogloss::lm {

ScoredPhrase score_phrase(const Model& model, std::span<const WordId> words) {
  ScoredPhrase phrase;
  std::array<float, kMaxOrder> scores{};
  State state;
  State next;
  float closed = 0;
  bool reachable = true;  // the state still holds every word so far, so what stood before them may matter
  phrase.open = phrase.whole = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordScore score = model.score(state, words[i], next);
    reachable = reachable && state.length == i && i + 1 < model.order();
    if (reachable) {
      scores[i] = score.log_prob;
      phrase.open = static_cast<std::uint8_t>(i + 1);
      // Nothing is backed off, so the score is the n-gram's own.
      if (score.matched == i + 1 && phrase.whole == i) {
        phrase.probs[i] = score.open ? -score.log_prob : score.log_prob;
        phrase.whole = static_cast<std::uint8_t>(i + 1);
      }
    } else {
      closed += score.log_prob;
    }
    std::swap(state, next);
  }
  phrase.rest[phrase.open] = closed;
  for (unsigned i = phrase.open; i-- > 0;) phrase.rest[i] = scores[i] + phrase.rest[i + 1];
  phrase.end = state;
  return phrase;
}

float join(const Model& model, const State& state, std::span<const WordId> words, const ScoredPhrase& phrase,
           State& next, bool& is_end) {
  // The words of the context that still matter, the last first, and the back-off weights of the n-grams that the
  // first 1, 2, … of them form with the words of the phrase so far.
  unsigned left = state.length;
  std::array<float, kMaxOrder - 1> backoffs = state.backoffs;
  float total = 0;
  for (unsigned i = 0; i < words.size(); ++i) {
    if (left == 0 || i >= phrase.open) {
      is_end = true;
      return total + phrase.rest[i];
    }
    Extension longer{};
    float score;
    if (i < phrase.whole) {
      longer = model.extend(words.first(i + 1), phrase.probs[i], {state.words.data(), left});
      score = -std::abs(longer.prob);
    } else {
      score = phrase.rest[i] - phrase.rest[i + 1];
    }
    for (unsigned k = longer.used; k < left; ++k) score += backoffs[k];
    total += score;
    left = longer.needed;
    backoffs = longer.backoffs;
  }
  if (words.empty()) {
    next = state;
    is_end = false;
    return total;
  }
  is_end = left == 0;
  if (is_end) return total;
  const auto count = static_cast<unsigned>(words.size());
  for (unsigned i = 0; i < count; ++i) {
    next.words[i] = phrase.end.words[i];
    next.backoffs[i] = phrase.end.backoffs[i];
  }
  for (unsigned k = 0; k < left; ++k) {
    next.words[count + k] = state.words[k];
    next.backoffs[count + k] = backoffs[k];
  }
  next.length = static_cast<std::uint8_t>(count + left);
  return total;
}

}  // namespace isogloss::lm
