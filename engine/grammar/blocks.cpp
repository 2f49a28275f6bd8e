#include "grammar/blocks.hpp"

namespace isogloss::grammar {

void LinkIndex::build(const AlignedSentences& pair) {
  links_ = pair.links;
  source_.assign(pair.source.size(), {0xffff, 0});
  target_.assign(pair.target.size(), {0xffff, 0});
  first_link_.assign(pair.target.size() + 1, 0);
  for (const WordLink link : pair.links) {
    Extent& source = source_[link.source];
    Extent& target = target_[link.target];
    source = {std::min(source.first, link.target), std::max(source.last, link.target)};
    target = {std::min(target.first, link.source), std::max(target.last, link.source)};
    ++first_link_[link.target + 1];
  }
  for (std::size_t t = 0; t < target_.size(); ++t) first_link_[t + 1] += first_link_[t];
  aligned_before_.resize(source_.size() + 1);
  aligned_before_[0] = 0;
  for (std::size_t s = 0; s < source_.size(); ++s)
    aligned_before_[s + 1] = aligned_before_[s] + (source_aligned(static_cast<unsigned>(s)) ? 1 : 0);
}

void find_phrases(const LinkIndex& index, unsigned longest, bool tight, std::vector<Block>& out) {
  const unsigned source_length = index.source_length();
  index.for_each_block(longest, longest, [&](Block block) {
    if (tight) {
      if (index.target_aligned(block.target_begin) && index.target_aligned(block.target_end - 1u))
        out.push_back(block);
      return;
    }
    const Block smallest = block;
    for (unsigned begin = smallest.source_begin;; --begin) {
      block.source_begin = static_cast<std::uint16_t>(begin);
      for (unsigned end = smallest.source_end; end - begin <= longest; ++end) {
        block.source_end = static_cast<std::uint16_t>(end);
        out.push_back(block);
        if (end == source_length || index.source_aligned(end)) break;
      }
      if (begin == 0 || index.source_aligned(begin - 1) || smallest.source_end - (begin - 1) > longest) break;
    }
  });
}

}  // namespace isogloss::grammar
