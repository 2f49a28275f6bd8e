#pragma once

#include <algorithm>
#include <cstdint>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "grammar/orientation.hpp"
#include "search/estimates.hpp"
#include "search/options.hpp"
#include "search/source.hpp"

namespace isogloss::search {

using grammar::Orientation;

/// Spans still to be translated, the next one first: a linked list whose tails are shared. Number 0 is empty.
struct OpenSpans {
  Span first;
  std::uint32_t rest;
  std::uint32_t parent;  ///< what sparse features remember of the rule that left `first` open
  unsigned travel;  ///< summed distortions from the end of each to the next
  float estimate;   ///< summed estimates of all of them

  std::uint64_t hash() const {
    return combine64(std::uint64_t{parent} << 32 | std::uint64_t{first.begin} << 16 | first.end, rest);
  }
  friend bool operator==(const OpenSpans& a, const OpenSpans& b) {
    return a.first == b.first && a.rest == b.rest && a.parent == b.parent;
  }
};

/// What has been translated, as a shift-reduce parser sees it (Galley & Manning 2008): blocks of neighboring
/// source words, the latest first, each as large as it can be. A block with `missing` places is the hull of a
/// rule whose inner gaps are not all translated yet; nothing is a neighbor of it. Number 0 is the beginning of
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

inline constexpr Place kNowhere = 0xffff;
static_assert(Source::kMostPlaces <= kNowhere);

/// All that a hypothesis knows about the source side: hypotheses with the same coverage can be extended by the
/// same matches, at the same cost of reordering.
struct Coverage {
  std::uint32_t open_spans;  ///< their number
  std::uint32_t blocks;      ///< number of the blocks; 0 if orientation is not scored
  Place last;                ///< where the words of the last rule ended
  Place first = 0;           ///< where they began; 0 if nobody asks
  /// The same if what follows is scored toward these words alone, kNowhere if not.
  Place own = kNowhere;
  float rest = 0;            ///< estimate of all that is open, which follows from the others

  std::uint64_t hash() const {
    return combine64(std::uint64_t{open_spans} << 32 | blocks,
                     std::uint64_t{own} << 32 | std::uint64_t{first} << 16 | last);
  }
  /// Where words lie to those of the last rule.
  Side side(Place begin, Place end) const {
    if (begin == last) return Side::kRight;
    return end == first ? Side::kLeft : Side::kNeither;
  }
  friend bool operator==(const Coverage& a, const Coverage& b) {
    return a.open_spans == b.open_spans && a.blocks == b.blocks && a.last == b.last && a.first == b.first &&
           a.own == b.own;
  }
};

/// The coverages of one sentence's search.
class Coverages {
 public:
  /// `travel_weight` is what a word of distortion adds to the estimates of open spans: they have to be gone to. Blocks
  /// are as large as they can be if they `grow`, otherwise the last rule alone.
  Coverages(const Source& source, const Estimates& estimates, float travel_weight, bool grow)
      : source_(source), estimates_(estimates), travel_weight_(travel_weight), grow_(grow) {
    open_spans_.number({{0, 0}, 0, 0, 0, 0.0f});
    blocks_.number({{0, 0}, 0, 0});
  }

  /// The open spans `rest` with another in front of them.
  std::uint32_t push(Span span, std::uint32_t rest, std::uint32_t parent = 0) {
    const OpenSpans& below = open_spans_[rest];
    const unsigned travel = rest == 0 ? 0 : below.travel + source_.distortion(span.end, below.first.begin);
    return open_spans_.number({span, rest, parent, travel, below.estimate + estimates_.of(span)});
  }
  std::uint32_t number(Coverage coverage) {
    const OpenSpans& open = open_spans_[coverage.open_spans];
    coverage.rest = open.estimate;
    if (coverage.open_spans != 0)
      coverage.rest +=
          travel_weight_ * static_cast<float>(open.travel + source_.distortion(coverage.last, open.first.begin));
    return coverages_.number(coverage);
  }
  float travel_weight() const { return travel_weight_; }

  /// How `step` lies to the latest block.
  Orientation orientation(std::uint32_t blocks, Span step) const {
    const Blocks& stack = blocks_[blocks];
    if (stack.missing > 0) return Orientation::discontinuous;
    if (stack.top.end == step.begin) return Orientation::monotone;
    return stack.top.begin == step.end ? Orientation::swap : Orientation::discontinuous;
  }

  /// How `step` lies to the last rule, as that sees it. What lies between the two and is still open will be translated
  /// after the last rule as well, and grows to one block with the step: it does not part them (Galley & Manning 2008).
  /// `own` is where the words of the last rule begin, or kNowhere if blocks count.
  Orientation next_orientation(const Coverage& coverage, Place own, Span step) const {
    if (own == kNowhere) return orientation(coverage.blocks, step);
    if (step.begin == coverage.last || (step.begin > coverage.last && is_open_from(coverage, coverage.last)))
      return Orientation::monotone;
    if (step.end == own || (step.end < own && is_open_up_to(coverage, own)))
      return Orientation::swap;
    return Orientation::discontinuous;
  }
  /// Where the words of a rule begin, if what follows is scored toward them alone: what follows a rule with gaps stands
  /// in these, not behind it.
  Place own(const Match& match) const {
    return grow_ && (match.loose || match.gap_count == 0) ? match.first : kNowhere;
  }

  /// The blocks after words with this hull were translated, `missing` places of which are still open.
  std::uint32_t shift(std::uint32_t blocks, Span hull, unsigned missing);

  const OpenSpans& open_spans(std::uint32_t number) const { return open_spans_[number]; }
  const Coverage& operator[](std::uint32_t number) const { return coverages_[number]; }
  std::size_t size() const { return coverages_.size(); }

 private:
  bool is_open_from(const Coverage& coverage, Place begin) const {
    std::uint32_t spans = coverage.open_spans;
    while (spans != 0 && open_spans_[spans].first.begin != begin) spans = open_spans_[spans].rest;
    return spans != 0;
  }
  bool is_open_up_to(const Coverage& coverage, Place end) const {
    std::uint32_t spans = coverage.open_spans;
    while (spans != 0 && open_spans_[spans].first.end != end) spans = open_spans_[spans].rest;
    return spans != 0;
  }

  const Source& source_;
  const Estimates& estimates_;
  float travel_weight_;
  bool grow_;
  Interner<OpenSpans> open_spans_;
  Interner<Blocks> blocks_;
  Interner<Coverage> coverages_;
};

inline std::uint32_t Coverages::shift(std::uint32_t blocks, Span hull, unsigned missing) {
  if (!grow_) return blocks_.number({hull, static_cast<std::uint16_t>(missing), 0});
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
  // The beginning of the sentence is a neighbor too, and then is forgotten like any other.
  return blocks_.number({hull, static_cast<std::uint16_t>(missing), blocks});
}

}  // namespace isogloss::search
