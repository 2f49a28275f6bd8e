#include "search/lm_states.hpp"

namespace isogloss::search {

LmStates::Joined LmStates::find(std::uint32_t number, std::uint32_t option) {
  const lm::ScoredPhrase& phrase = options_->phrases[option];
  lm::State next;
  bool is_end;
  const lm::State& state = states_[number];
  Joined joined{lm::join(*model_, state, options_->lm_target(options_->options[option]), phrase, next, is_end), 0};
  if (!is_end) {
    joined.next = states_.number(next);
  } else {
    if (ends_[option] == kUnknown) ends_[option] = states_.number(phrase.end);
    joined.next = ends_[option];
  }
  return joined;
}

}  // namespace isogloss::search
