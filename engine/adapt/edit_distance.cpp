#include "adapt/edit_distance.hpp"

namespace isogloss::adapt {

void EditDistance::set_pattern(std::span<const std::uint16_t> pattern, std::size_t terms) {
  length_ = pattern.size();
  blocks_ = (length_ + 63) / 64;
  masks_.assign((terms + 1) * blocks_, 0);  // the last row, all zero, is for foreign tokens
  for (std::size_t i = 0; i < length_; ++i)
    masks_[pattern[i] * blocks_ + i / 64] |= std::uint64_t{1} << (i % 64);
}

std::size_t EditDistance::operator()(std::span<const std::uint16_t> text) {
  if (length_ == 0) return text.size();
  column_.assign(blocks_, {~std::uint64_t{0}, 0});
  const std::uint64_t last_bit = std::uint64_t{1} << ((length_ - 1) % 64);
  const std::size_t foreign = masks_.size() / blocks_ - 1;
  std::size_t distance = length_;
  for (const std::uint16_t token : text) {
    const std::uint64_t* masks = masks_.data() + (token == kForeign ? foreign : token) * blocks_;
    std::uint64_t carry_positive = 1, carry_negative = 0;  // of the row above: it rises by one per column
    for (std::size_t block = 0; block < blocks_; ++block) {
      auto& [positive, negative] = column_[block];
      const std::uint64_t match = masks[block] | carry_negative;
      const std::uint64_t diagonal = (((match & positive) + positive) ^ positive) | match | negative;
      std::uint64_t right_positive = negative | ~(diagonal | positive);
      std::uint64_t right_negative = positive & diagonal;
      if (block + 1 == blocks_) {
        distance += (right_positive & last_bit) != 0;
        distance -= (right_negative & last_bit) != 0;
      }
      const std::uint64_t out_positive = right_positive >> 63, out_negative = right_negative >> 63;
      right_positive = right_positive << 1 | carry_positive;
      right_negative = right_negative << 1 | carry_negative;
      positive = right_negative | ~(diagonal | right_positive);
      negative = right_positive & diagonal;
      carry_positive = out_positive;
      carry_negative = out_negative;
    }
  }
  return distance;
}

}  // namespace isogloss::adapt
