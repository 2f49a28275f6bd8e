#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grammar/aligned_text.hpp"

namespace isogloss::grammar {

/// A span of source words and a span of target words, ends exclusive.
struct Block {
  std::uint16_t source_begin, source_end, target_begin, target_end;

  unsigned source_length() const { return source_end - source_begin; }
  unsigned target_length() const { return target_end - target_begin; }
};

/// Where the links of each word of a sentence pair go. Built once per pair; storage is reused.
class LinkIndex {
 public:
  void build(const AlignedSentences& pair);

  unsigned source_length() const { return static_cast<unsigned>(source_.size()); }
  unsigned target_length() const { return static_cast<unsigned>(target_.size()); }
  bool source_aligned(unsigned s) const { return source_[s].first <= source_[s].last; }
  bool target_aligned(unsigned t) const { return target_[t].first <= target_[t].last; }

  /// Number of source words with a link in [begin, end).
  unsigned aligned_words(unsigned begin, unsigned end) const {
    return aligned_before_[end] - aligned_before_[begin];
  }

  /// Links of the target words in [begin, end), by (target, source).
  std::span<const WordLink> links(unsigned begin, unsigned end) const {
    return {links_.data() + first_link_[begin], first_link_[end] - first_link_[begin]};
  }

  bool linked(unsigned s, unsigned t) const {
    const std::span<const WordLink> row = links(t, t + 1);
    return std::any_of(row.begin(), row.end(), [&](const WordLink& link) { return link.source == s; });
  }

  /// Calls `visit(block)` for every block of at most the given lengths that is consistent with the
  /// alignment: at least one link inside, no link from inside to outside. The source span is the smallest;
  /// unaligned source words around it may be added. Target spans may begin and end with unaligned words.
  template <class Visit>
  void for_each_block(unsigned longest_source, unsigned longest_target, Visit&& visit) const;

 private:
  struct Extent {  // first > last: no link
    std::uint16_t first, last;
  };

  std::vector<Extent> source_, target_;
  std::vector<std::uint32_t> aligned_before_, first_link_;
  std::span<const WordLink> links_;
};

template <class Visit>
void LinkIndex::for_each_block(unsigned longest_source, unsigned longest_target, Visit&& visit) const {
  const unsigned target_length = this->target_length();
  for (unsigned begin = 0; begin < target_length; ++begin) {
    // The source span so far, and how far its words' links reach into the target.
    unsigned first = 0xffff, last = 0, reach_first = 0xffff, reach_last = 0;
    const unsigned limit = std::min<std::size_t>(target_length, std::size_t{begin} + longest_target);
    for (unsigned end = begin + 1; end <= limit; ++end) {
      const Extent added = target_[end - 1];
      if (added.first <= added.last) {
        const auto take = [&](unsigned from, unsigned to) {
          for (unsigned s = from; s < to; ++s) {
            if (!source_aligned(s)) continue;
            reach_first = std::min<unsigned>(reach_first, source_[s].first);
            reach_last = std::max<unsigned>(reach_last, source_[s].last);
          }
        };
        if (first > last) {
          first = added.first, last = added.last;
          take(first, last + 1);
        } else {
          if (added.first < first) take(added.first, first), first = added.first;
          if (added.last > last) take(last + 1, added.last + 1u), last = added.last;
        }
        if (reach_first < begin || last - first >= longest_source) break;
      }
      if (first > last || reach_last >= end) continue;
      visit(Block{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last + 1),
                  static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)});
    }
  }
}

/// All phrase pairs of at most `longest` words on both sides, appended to `out`. Tight ones begin and end
/// with aligned words on both sides; otherwise unaligned words at the edges may be taken in or left out.
void find_phrases(const LinkIndex& index, unsigned longest, bool tight, std::vector<Block>& out);

}  // namespace isogloss::grammar
