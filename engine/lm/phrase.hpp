// Scoring phrases that are used again and again behind different contexts.
//
//   ScoredPhrase phrase = score_phrase(model, words);          // once per rule; phrase.total() ranks rules
//   float added = join(model, state, words, phrase, next);     // per hypothesis
//
// `join` gives what scoring word by word would, but asks the model only about n-grams that begin before the phrase:
// what is inside is known. It goes on only as long as the context can reach, one or two words as a rule.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lm/model.hpp"

namespace isogloss::lm {

/// A phrase scored without context.
struct ScoredPhrase {
  /// rest[i]: log10 probability of word i and all that follow, in the context of the phrase alone.
  std::array<float, kMaxOrder> rest;
  std::array<float, kMaxOrder - 1> probs;  ///< of the n-grams that its first 1, 2, … words form, as the model stores them
  std::uint8_t open;   ///< how many of its first words an unknown context could reach; the others are set up to here
  std::uint8_t whole;  ///< how many of these end an n-gram that begins with the phrase
  State end;           ///< the state after it, if the context did not reach that far

  float total() const { return rest[0]; }
};

/// All words must be in the model (`Model::index`), here and below.
ScoredPhrase score_phrase(const Model& model, std::span<const WordId> words);

/// log10 P(words | state), and the state after them in `next` if the context reached that far; otherwise that is
/// `phrase.end`, and `is_end` is true.
float join(const Model& model, const State& state, std::span<const WordId> words, const ScoredPhrase& phrase,
           State& next, bool& is_end);

inline float join(const Model& model, const State& state, std::span<const WordId> words, const ScoredPhrase& phrase,
                  State& next) {
  bool is_end;
  const float added = join(model, state, words, phrase, next, is_end);
  if (is_end) next = phrase.end;
  return added;
}

}  // namespace isogloss::lm
