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
  phrase.open = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float score = model.score(state, words[i], next).log_prob;
    reachable = reachable && state.length == i && i + 1 < model.order();
    if (reachable) {
      scores[i] = score;
      phrase.open = static_cast<std::uint8_t>(i + 1);
    } else {
      closed += score;
    }
    std::swap(state, next);
  }
  phrase.rest[phrase.open] = closed;
  for (unsigned i = phrase.open; i-- > 0;) phrase.rest[i] = scores[i] + phrase.rest[i + 1];
  phrase.end = state;
  return phrase;
}

float join(const Model& model, const State& state, std::span<const WordId> words, const ScoredPhrase& phrase,
           State& next) {
  State scratch;
  const State* from = &state;
  State* to = words.size() % 2 == 0 ? &scratch : &next;  // so that the last step ends in `next`
  float total = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // All words of the state lie inside the phrase: from here on what stood before it is forgotten.
    if (from->length <= i && i <= phrase.open) {
      next = phrase.end;
      return total + phrase.rest[i];
    }
    total += model.score(*from, words[i], *to).log_prob;
    from = to;
    to = to == &scratch ? &next : &scratch;
  }
  if (words.empty()) next = state;
  return total;
}

}  // namespace isogloss::lm
