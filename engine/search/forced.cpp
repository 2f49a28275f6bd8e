#include "search/forced.hpp"

#include <algorithm>

namespace isogloss::search {

ForcedConstraint::ForcedConstraint(References references) : Constraint(std::move(references)), is_whole_(1, false) {
  for (const std::vector<WordId>& text : texts()) {
    std::uint32_t node = 0;
    for (WordId word : text) node = beginnings_.add(node, word);
    is_whole_.resize(beginnings_.size(), false);
    is_whole_[node] = true;
  }
}

float ForcedConstraint::optimistic_score(std::span<const WordId> words) const {
  for (const std::vector<WordId>& text : texts())
    if (std::search(text.begin(), text.end(), words.begin(), words.end()) != text.end() || words.empty()) return 0.0f;
  return kNever;
}

float ForcedConstraint::score(std::uint32_t state, std::span<const WordId> words) const {
  return follow(state, words) == WordTree::kAbsent ? kNever : 0.0f;
}

double ForcedConstraint::final_score(std::span<const WordId> words) const {
  const std::uint32_t state = follow(start(), words);
  return static_cast<double>(state == WordTree::kAbsent ? kNever : end(state));
}

std::uint32_t ForcedConstraint::follow(std::uint32_t state, std::span<const WordId> words) const {
  for (WordId word : words) {
    state = beginnings_.child(state, word);
    if (state == WordTree::kAbsent) break;
  }
  return state;
}

}  // namespace isogloss::search
