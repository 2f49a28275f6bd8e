#pragma once

#include <cstdint>
#include <vector>

#include "grammar/blocks.hpp"

namespace isogloss::grammar {

/// How a block lies to its neighbor in target order. Previous neighbor: monotone if it lies just before
/// the block on the source side too, swap if just after it. Next neighbor: monotone if just after, swap if
/// just before. Everything else is discontinuous.
enum class Orientation : std::uint8_t { monotone, swap, discontinuous };

/// What counts as a neighbor.
enum class OrientationModel : std::uint8_t {
  none,
  word,    ///< a link at the block's corner, and none at the other corner
  phrase,  ///< a consistent block of at most `longest` words a side; monotone is looked for first
  hier     ///< a consistent block of any size; monotone is looked for first
};

/// Orientations of the blocks of one sentence pair. The pair's edges count as neighbors: a block at both
/// beginnings is monotone to what comes before, one at both ends to what comes after.
class Orientations {
 public:
  /// `index` must live as long as questions are asked.
  void build(const LinkIndex& index, OrientationModel model, unsigned longest);

  Orientation with_previous(const Block& block) const;
  Orientation with_next(const Block& block) const;

 private:
  enum Corner : std::uint8_t {  // of some consistent block, as (source, target) borders
    kEndsHere = 1,              // source end, target end
    kBeginsHere = 2,            // source begin, target begin
    kSwapEndsHere = 4,          // source begin, target end
    kSwapBeginsHere = 8         // source end, target begin
  };

  std::uint8_t& corner(unsigned source, unsigned target) {
    return corners_[std::size_t{source} * (index_->target_length() + 1) + target];
  }
  bool has(unsigned source, unsigned target, Corner kind) const {
    return (corners_[std::size_t{source} * (index_->target_length() + 1) + target] & kind) != 0;
  }
  void mark(const Block& block, unsigned longest);

  const LinkIndex* index_ = nullptr;
  OrientationModel model_ = OrientationModel::none;
  std::vector<std::uint8_t> corners_;
};

}  // namespace isogloss::grammar
