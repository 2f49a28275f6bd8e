#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "text/vocabulary.hpp"

namespace isogloss::search {

using text::Vocabulary;

/// A place between two source words. In a sentence of J words there are J + 1, from 0 to J; in a word lattice
/// they are its nodes, numbered so that every arc leads to a higher number.
using Place = std::uint16_t;

struct Span {
  Place begin, end;

  unsigned width() const { return static_cast<unsigned>(end - begin); }
  bool empty() const { return begin == end; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// Where a source word comes from; the scores of each kind are a feature of their own.
enum class ArcKind : std::uint8_t {
  kGiven,       ///< from the sentence or lattice itself
  kSplit,       ///< a part of a word
  kRelated,     ///< another form of a word
  kDictionary,  ///< a translation from a dictionary
  kRewritten,   ///< a translation by rules, such as that of a number
};
inline constexpr std::size_t kArcKinds = 5;
using ArcScores = std::array<float, kArcKinds>;

/// One source word. In a sentence arc i leads from place i to i + 1; in a lattice words may be alternatives.
struct SourceArc {
  Place begin, end;
  WordId word;          ///< in the rule table's vocabulary, kNoWord if it is not there
  WordId lm_word;       ///< the language model's number for it
  std::uint32_t token;  ///< the caller's number for the word, should it pass through untranslated
  float score;          ///< of the arc itself, such as a recognizer's; 0 in plain text
  std::uint32_t token_count = 1;  ///< words that are translated as one
  bool fixed = false;   ///< the caller gave its translation; no rule may match it, so `word` is kNoWord
  std::uint32_t fixed_begin = 0, fixed_end = 0;  ///< that translation, in the source's fixed words
  ArcKind kind = ArcKind::kGiven;
};

/// A target word that the caller gave.
struct FixedWord {
  WordId word;     ///< in the rule table's target vocabulary, kNoWord if it is not there
  WordId lm_word;  ///< the language model's number for it
  std::string text;
};

/// What is to be translated: a sentence or a word lattice, seen as places and arcs.
class Source {
 public:
  static constexpr std::uint16_t kUnreachable = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t kMostPlaces = 4096;

  /// An empty sentence.
  Source() : Source(1, {}) {}

  /// A sentence or lattice of `places` places; translation goes from the first to the last. Throws
  /// std::invalid_argument if an arc leads nowhere or backward, if there are too many places, or if the last cannot be
  /// reached. Arcs that lie on no path from the first place to the last are dropped. `fixed_words` are those that arcs
  /// refer to; words that are translated as one unit are one arc.
  Source(std::size_t places, std::vector<SourceArc> arcs, std::vector<FixedWord> fixed_words = {});

  std::size_t places() const { return first_.size() - 1; }
  Span whole() const { return {0, static_cast<Place>(places() - 1)}; }
  std::span<const SourceArc> arcs() const { return arcs_; }

  /// The arcs that begin at a place; numbers of arcs are positions in `arcs()`.
  std::span<const SourceArc> from(Place place) const {
    return {arcs_.data() + first_[place], first_[place + 1] - first_[place]};
  }
  std::size_t first_arc(Place place) const { return first_[place]; }

  const FixedWord& fixed_word(std::size_t position) const { return fixed_words_[position]; }
  /// The given translation of a fixed arc.
  std::span<const FixedWord> fixed(const SourceArc& arc) const {
    return {fixed_words_.data() + arc.fixed_begin, arc.fixed_end - arc.fixed_begin};
  }

  /// Words on the shortest way from `a` to `b`, kUnreachable if there is none.
  std::uint16_t distance(Place a, Place b) const { return distance_[std::size_t{a} * places() + b]; }
  bool reaches(Place a, Place b) const { return distance(a, b) != kUnreachable; }

  /// How far apart in words, in either direction, a translation goes on at `to` after it stopped at `from`.
  unsigned distortion(Place from, Place to) const {
    const std::uint16_t ahead = distance(from, to);
    if (ahead != kUnreachable) return ahead;
    const std::uint16_t back = distance(to, from);
    return back != kUnreachable ? back : static_cast<unsigned>(from > to ? from - to : to - from);
  }
  /// The same, negative if it goes back.
  int signed_distortion(Place from, Place to) const {
    const auto length = static_cast<int>(distortion(from, to));
    return to < from ? -length : length;
  }

 private:
  void index();

  std::vector<SourceArc> arcs_;  // by where they begin
  std::vector<FixedWord> fixed_words_;
  std::vector<std::size_t> first_;
  std::vector<std::uint16_t> distance_;
};

}  // namespace isogloss::search
