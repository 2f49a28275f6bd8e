#pragma once

#include <algorithm>
#include <cstdint>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "search/estimates.hpp"
#include "search/source.hpp"

namespace isogloss::search {

/// Spans still to be translated, the next one first: a linked list whose tails are shared. Number 0 is empty.
struct OpenSpans {
  Span first;
  std::uint32_t rest;
  std::uint32_t parent;  ///< what sparse features remember of the rule that left `first` open
  unsigned width;   ///< places in all of them
  float estimate;   ///< summed estimates of all of them

  std::uint64_t hash() const {
    return combine64(std::uint64_t{parent} << 32 | std::uint64_t{first.begin} << 16 | first.end, rest);
  }
  friend bool operator==(const OpenSpans& a, const OpenSpans& b) {
    return a.first == b.first && a.rest == b.rest && a.parent == b.parent;
  }
};

/// How a step lies to what was translated just before it.
enum class Turn : std::uint8_t { kMonotone, kSwap, kDiscontinuous };

/// What has been translated, as a shift-reduce parser sees it (Galley & Manning 2008): blocks of neighbouring
/// source words, the latest first, each as large as it can be. A block with `missing` places is the hull of a
/// rule whose inner gaps are not all translated yet; nothing is a neighbour of it. Number 0 is the beginning of
/// the sentence.
struct Blocks {
  Span top;
  std::uint16_t missing;
  std::uint32_t rest;

  std::uint64_t hash() const {
    return combine64(std::uint64_t{top.begin} << 32 | std::uint64_t{top.end} << 16 | missing, rest);
  }
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// On which side of the rule just before a rule stands, if next to it; the beginning of the sentence is on the left.
enum class Side : std::uint8_t { kRight, kLeft, kNeither };

/// All that a hypothesis knows about the source side: hypotheses with the same context can be extended by the
/// same matches, at the same cost of reordering.
struct Context {
  std::uint32_t open;    ///< number of the open spans
  std::uint32_t blocks;  ///< number of the blocks; 0 if orientation is not scored
  Place last;            ///< where the words of the last rule ended
  Place first = 0;       ///< where they began; 0 if nobody asks

  std::uint64_t hash() const {
    return combine64(std::uint64_t{open} << 32 | blocks, std::uint64_t{first} << 16 | last);
  }
  /// Where words lie to those of the last rule.
  Side side(Place begin, Place end) const {
    if (begin == last) return Side::kRight;
    return end == first ? Side::kLeft : Side::kNeither;
  }
  friend bool operator==(const Context&, const Context&) = default;
};

/// The contexts of one sentence's search.
class Contexts {
 public:
  explicit Contexts(const Estimates& estimates) : estimates_(estimates) {
    open_.number({{0, 0}, 0, 0, 0, 0.0f});
    blocks_.number({{0, 0}, 0, 0});
  }

  std::uint32_t push(Span span, std::uint32_t rest, std::uint32_t parent = 0) {
    const OpenSpans& below = open_[rest];
    return open_.number({span, rest, parent, below.width + span.width(), below.estimate + estimates_.of(span)});
  }
  std::uint32_t number(const Context& context) { return contexts_.number(context); }

  /// How `step` lies to the latest block.
  Turn turn(std::uint32_t blocks, Span step) const {
    const Blocks& stack = blocks_[blocks];
    if (stack.missing > 0) return Turn::kDiscontinuous;
    if (stack.top.end == step.begin) return Turn::kMonotone;
    return stack.top.begin == step.end ? Turn::kSwap : Turn::kDiscontinuous;
  }

  /// The blocks after words with this hull were translated, `missing` places of which are still open.
  std::uint32_t shift(std::uint32_t blocks, Span hull, unsigned missing);

  const OpenSpans& open(std::uint32_t number) const { return open_[number]; }
  const Context& operator[](std::uint32_t number) const { return contexts_[number]; }
  const OpenSpans& open_of(std::uint32_t context) const { return open_[contexts_[context].open]; }
  std::size_t size() const { return contexts_.size(); }

 private:
  const Estimates& estimates_;
  Interner<OpenSpans> open_;
  Interner<Blocks> blocks_;
  Interner<Context> contexts_;
};

inline std::uint32_t Contexts::shift(std::uint32_t blocks, Span hull, unsigned missing) {
  while (missing == 0 && blocks != 0) {
    const Blocks below = blocks_[blocks];
    if (below.missing > 0) {
      if (hull.begin < below.top.begin || hull.end > below.top.end) break;
      missing = below.missing - std::min<unsigned>(below.missing, hull.width());
      hull = below.top;
    } else if (below.top.end == hull.begin) {
      hull.begin = below.top.begin;
    } else if (below.top.begin == hull.end) {
      hull.end = below.top.end;
    } else {
      break;
    }
    blocks = below.rest;
  }
  // The beginning of the sentence is a neighbour too, and then is forgotten like any other.
  return blocks_.number({hull, static_cast<std::uint16_t>(missing), blocks});
}

}  // namespace isogloss::search
