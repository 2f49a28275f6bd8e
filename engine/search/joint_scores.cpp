#include "search/joint_scores.hpp"

namespace isogloss::search {

void JointScores::begin(const JointSource& source) {
  source_ = &source;
  histories_.clear();
  JointHistory history;
  static_assert(neural::kBegin == 0);
  histories_.number(history);
  std::fill_n(history.words.begin(), length(), static_cast<std::uint32_t>(neural::kNothing));
  nothing_ = histories_.number(history);
  cells_.assign(kCells, Cell{Interner<JointHistory>::kNone, 0, 0, {}});
}

std::uint32_t JointScores::history_after(std::span<const std::uint32_t> words) {
  JointHistory history;
  for (std::size_t i = 0; i < length(); ++i) history.words[i] = words[words.size() - 1 - i];
  return histories_.number(history);
}

JointScores::Scored JointScores::find(std::uint32_t history, std::uint32_t position, std::uint32_t word) {
  const JointHistory before = histories_[history];
  const float score = source_->model().score(source_->window(position), {before.words.data(), length()}, word);
  return {score, histories_.number(before.after(word, length()))};
}

}  // namespace isogloss::search
