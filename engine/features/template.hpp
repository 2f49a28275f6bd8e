// What a feature template is and what it is told.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "features/lexicon.hpp"
#include "features/names.hpp"
#include "grammar/orientation.hpp"

namespace isogloss::features {

using grammar::Orientation;

/// An aligned word pair of a rule: positions in its source symbols and its target words.
struct Link {
  std::uint16_t source, target;
};

/// A rule, wherever it is used.
struct RuleFacts {
  std::span<const TokenId> source;  ///< its symbols; a gap is kGapToken
  std::span<const TokenId> target;
  std::span<const Link> links;      ///< by target word, then by source symbol
  std::uint8_t gaps = 0;            ///< that follow the target words
  bool swapped = false;             ///< two gaps whose order is not that of the source

  bool has_pairs() const { return !links.empty(); }
  TokenId pair_source(std::size_t i) const { return source[links[i].source]; }
  TokenId pair_target(std::size_t i) const { return target[links[i].target]; }
};

/// How a rule is used, apart from the words before it.
struct StepFacts {
  RuleFacts rule;
  Orientation orientation = Orientation::monotone;  ///< toward what was translated before
  int distortion = 0;               ///< words skipped since then, negative if backward
  std::uint8_t side = 0;            ///< of the rule just before: 0 right, 1 left, 2 neither
  std::span<const TokenId> parent;  ///< aligned source words of the rule that left open the span it fills
};

/// What a hypothesis remembers of the rules before. A template says which parts it needs; the others are kBegin.
struct Before {
  std::array<TokenId, 2> words{kBegin, kBegin};       ///< the last target word and the one before it
  TokenId pair_target = kBegin, pair_source = kBegin; ///< the last aligned pair
  std::uint32_t rule = 0xffffffffu;                   ///< the last rule's option in the sentence's search

  std::uint64_t hash() const {
    return combine64(combine64(std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{pair_target} << 32 | pair_source),
                     rule);
  }
  friend bool operator==(const Before&, const Before&) = default;
};

/// Something that can stand at a position of an event.
struct Position {
  enum class Kind : std::uint8_t { kToken, kPhrase, kLiteral };
  Kind kind;
  TokenId token = 0;
  std::span<const TokenId> phrase;
  std::string_view literal;
  std::uint64_t hash = 0;  ///< of the literal

  Position(TokenId one) : kind(Kind::kToken), token(one) {}  // NOLINT: reads best unmarked
  Position(std::span<const TokenId> words) : kind(Kind::kPhrase), phrase(words) {}  // NOLINT
  /// The text must live as long as the position.
  static Position of(std::string_view text) {
    Position out(TokenId{0});
    out.kind = Kind::kLiteral;
    out.literal = text;
    out.hash = literal_hash(text);
    return out;
  }
};

/// Takes the events of one template. An event is one to four positions and becomes a feature for every combination
/// of the forms of what stands there.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void fire(std::span<const Position> positions) = 0;
  /// The word behind a token, for templates that look into words.
  virtual std::string_view text(TokenId token) const = 0;
  void fire(std::initializer_list<Position> positions) { fire(std::span(positions.begin(), positions.size())); }
};

/// A family of sparse features. It is told about every step of a derivation and fires events; the search scores
/// them while it goes, so everything an event depends on must be in what the function is told.
class Template {
 public:
  enum Needs : unsigned {
    kNothing = 0,
    kLastWord = 1,
    kLastTwoWords = 2,
    kLastPair = 4,
    kLastRule = 8,
    kParent = 16,
    kOrientation = 32,
    kDistortion = 64,
    kUnaligned = 128,
    kSide = 256,
  };

  virtual ~Template() = default;
  virtual std::string_view name() const = 0;
  /// What it reads of StepFacts and Before, and whether it looks at unaligned words.
  virtual unsigned needs() const { return kNothing; }

  /// Events of a rule alone: scored once per rule as long as the weights stay.
  virtual void in_rule(const RuleFacts& rule, EventSink& sink) const;
  /// Events of a target word that is not aligned, in a sentence: scored once per word and sentence.
  virtual void unaligned(TokenId target, std::span<const TokenId> sentence, EventSink& sink) const;
  /// Events of a rule at its place in the derivation.
  virtual void in_step(const StepFacts& step, EventSink& sink) const;
  /// Events between a rule and what was said before it. The last one of a derivation is the rule ⟨</s>, </s>⟩.
  /// `last` is the rule before, if `kLastRule` is needed and there is one.
  virtual void at_border(const Before& before, const RuleFacts* last, const RuleFacts& rule, EventSink& sink) const;
};

/// All templates, by name. A new one gets a line in registry.cpp.
std::unique_ptr<Template> make_template(std::string_view name);
std::vector<std::string_view> template_names();

}  // namespace isogloss::features
