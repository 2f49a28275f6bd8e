#include "grammar/orientation.hpp"

namespace isogloss::grammar {
namespace {

Orientation decide(bool monotone, bool swap) {
  return monotone ? Orientation::monotone : swap ? Orientation::swap : Orientation::discontinuous;
}

}  // namespace

void Orientations::build(const LinkIndex& index, OrientationModel model, unsigned longest) {
  index_ = &index;
  model_ = model;
  if (model != OrientationModel::phrase && model != OrientationModel::hier) return;
  const unsigned source_length = index.source_length(), target_length = index.target_length();
  corners_.assign((std::size_t{source_length} + 1) * (target_length + 1), 0);
  corner(0, 0) |= kEndsHere;
  corner(source_length, target_length) |= kBeginsHere;
  const unsigned limit = model == OrientationModel::hier ? 0xffff : longest;
  index.for_each_block(limit, limit, [&](const Block& block) { mark(block, limit); });
}

void Orientations::mark(const Block& block, unsigned longest) {
  for (unsigned end = block.source_end; end - block.source_begin <= longest; ++end) {
    corner(end, block.target_end) |= kEndsHere;
    corner(end, block.target_begin) |= kSwapBeginsHere;
    if (end == index_->source_length() || index_->source_aligned(end)) break;
  }
  for (unsigned begin = block.source_begin; block.source_end - begin <= longest; --begin) {
    corner(begin, block.target_begin) |= kBeginsHere;
    corner(begin, block.target_end) |= kSwapEndsHere;
    if (begin == 0 || index_->source_aligned(begin - 1)) break;
  }
}

Orientation Orientations::with_previous(const Block& block) const {
  const unsigned source_length = index_->source_length();
  if (model_ == OrientationModel::word) {
    if (block.target_begin == 0) return decide(block.source_begin == 0, false);
    const unsigned t = block.target_begin - 1u;
    const bool before = block.source_begin > 0 && index_->linked(block.source_begin - 1u, t);
    const bool after = block.source_end < source_length && index_->linked(block.source_end, t);
    return decide(before && !after, after && !before);
  }
  return decide(has(block.source_begin, block.target_begin, kEndsHere),
                has(block.source_end, block.target_begin, kSwapEndsHere));
}

Orientation Orientations::with_next(const Block& block) const {
  const unsigned source_length = index_->source_length(), target_length = index_->target_length();
  if (model_ == OrientationModel::word) {
    if (block.target_end == target_length) return decide(block.source_end == source_length, false);
    const unsigned t = block.target_end;
    const bool before = block.source_begin > 0 && index_->linked(block.source_begin - 1u, t);
    const bool after = block.source_end < source_length && index_->linked(block.source_end, t);
    return decide(after && !before, before && !after);
  }
  return decide(has(block.source_end, block.target_end, kBeginsHere),
                has(block.source_begin, block.target_end, kSwapBeginsHere));
}

}  // namespace isogloss::grammar
