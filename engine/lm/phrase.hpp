// Scoring phrases that are used again and again behind different contexts.
//
//   ScoredPhrase phrase = score_phrase(model, words);          // once per rule; phrase.total() ranks rules
//   float added = join(model, state, words, phrase, next);     // per hypothesis
//
// `join` gives what scoring word by word would, but asks the model only about the words that the context
// can reach: at most order - 1 of them, one or two as a rule.
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
  std::uint8_t open;  ///< how many of its first words an unknown context could reach; rest is set up to here
  State end;          ///< the state after it, if the context did not reach that far

  float total() const { return rest[0]; }
};

ScoredPhrase score_phrase(const Model& model, std::span<const WordId> words);

/// log10 P(words | state), and the state after them. `next` must be another object than `state`.
float join(const Model& model, const State& state, std::span<const WordId> words, const ScoredPhrase& phrase,
           State& next);

}  // namespace isogloss::lm
