#include "search/ranked_sides.hpp"

namespace isogloss::search {

void RankedSides::begin_sentence(std::uint32_t version) {
  ++sentence_;
  if (version == version_ && version != 0 && bytes() <= most_bytes_) return;
  version_ = version;
  index_.reset(0);
  sides_.clear();
  options.clear();
  phrases.clear();
  extras.clear();
  words.clear();
  lm_words.clear();
  joint_symbols.clear();
  loose.clear();
}

RankedSide& RankedSides::add(const RankedSide& side) {
  const std::uint32_t number = index_.find_or_add(
      mix64(side.key), [&](std::uint32_t other) { return sides_[other].key == side.key; },
      [&](std::uint32_t other) { return mix64(sides_[other].key); }, [&] { sides_.push_back(side); });
  sides_[number] = side;
  return sides_[number];
}

std::size_t RankedSides::bytes() const {
  return options.size() * (sizeof(Option) + sizeof(lm::ScoredPhrase)) + extras.size() * sizeof(RankedExtra) +
         (words.size() + lm_words.size() + loose.size()) * sizeof(WordId) + joint_symbols.size() + sides_.size() * sizeof(RankedSide) +
         index_.bytes();
}

}  // namespace isogloss::search
