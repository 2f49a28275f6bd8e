#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isogloss::adapt {

/// Levenshtein distance of token sequences to one fixed sequence, by bit-parallel dynamic programming (Myers
/// 1999, in the form of Hyyrö 2003): 64 cells of the table per step. Tokens are small numbers ("terms"). One
/// per thread.
class EditDistance {
 public:
  static constexpr std::uint16_t kForeign = 0xffff;  ///< a token that the pattern does not have

  /// `pattern` holds numbers below `terms`. O(pattern + terms · pattern / 64).
  void set_pattern(std::span<const std::uint16_t> pattern, std::size_t terms);

  /// Insertions, deletions and substitutions between the pattern and `text`, whose tokens are terms or kForeign.
  std::size_t operator()(std::span<const std::uint16_t> text);

 private:
  struct Column {
    std::uint64_t positive, negative;
  };

  std::size_t length_ = 0, blocks_ = 0;
  std::vector<std::uint64_t> masks_;  // by term, `blocks_` words each
  std::vector<Column> column_;
};

}  // namespace isogloss::adapt
