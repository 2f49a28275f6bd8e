#pragma once

#include <cstdint>
#include <vector>

#include "grammar/blocks.hpp"
#include "grammar/symbols.hpp"

namespace isogloss::grammar {

/// What may become a rule. Plain phrase pairs are the case without gaps.
struct RuleLimits {
  unsigned max_length = 10;       ///< words of an initial phrase pair on each side
  unsigned max_gaps = 2;          ///< gaps in a rule, 0 to 2
  unsigned max_symbols = 5;       ///< words and gaps of the source side
  unsigned max_target_words = 7;  ///< words of the target phrase
  unsigned min_gap = 1;           ///< source words that a gap stands for
  bool tight = true;              ///< initial phrase pairs begin and end with aligned words on both sides
  bool adjacent_gaps = false;     ///< whether source gaps may touch
  unsigned max_plain = 0;         ///< words of a phrase pair without gaps on each side, if more than the above
};

/// A rule as it was found: an initial phrase pair with up to two smaller ones cut out, whose target spans
/// follow one another at its end, so that its own target words are one phrase in front.
struct FoundRule {
  Shape shape;
  std::uint16_t phrase_end;  ///< the target phrase is [block.target_begin, phrase_end)
  Block gaps[2];             ///< in source order
};

/// Finds the rules of one sentence pair. Storage is reused from pair to pair.
class RuleFinder {
 public:
  explicit RuleFinder(const RuleLimits& limits) : limits_(limits) {}

  /// Calls `visit(block, ways, rules)` for every initial phrase pair that gives rules: `ways` is how many
  /// choices of gaps keep the limits, whatever their order on the target side; `rules` are those of them
  /// in target normal form with a phrase within `max_target_words`.
  template <class Visit>
  void find(const LinkIndex& index, Visit&& visit) {
    prepare(index);
    for (const Block& block : blocks_) {
      rules_.clear();
      const unsigned ways = enumerate(index, block);
      if (!rules_.empty()) visit(block, ways, rules_);
    }
  }

 private:
  void prepare(const LinkIndex& index);
  bool may_have_gaps(const Block& block) const;
  unsigned enumerate(const LinkIndex& index, const Block& block);
  unsigned with_one_gap(const LinkIndex& index, const Block& block);
  unsigned with_two_gaps(const LinkIndex& index, const Block& block);
  unsigned with_layout(const LinkIndex& index, const Block& block, unsigned before, unsigned between,
                       unsigned gap_words);
  void keep(const Block& block, Shape shape, unsigned phrase_end, const Block& first, const Block& second);

  /// The phrase pairs whose source span starts at `begin` and has `length` words.
  std::span<const Block> starting(unsigned begin, unsigned length) const {
    const std::size_t cell = std::size_t{begin} * (limits_.max_length + 1) + length;
    return {by_source_.data() + cells_[cell], cells_[cell + 1] - cells_[cell]};
  }

  RuleLimits limits_;
  std::vector<Block> blocks_, by_source_;
  std::vector<std::uint32_t> cells_;
  std::vector<FoundRule> rules_;
};

}  // namespace isogloss::grammar
