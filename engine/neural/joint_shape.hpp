#pragma once

#include <cstddef>

namespace isogloss::neural {

/// Sizes of a joint model: what it sees of the source and of the target words before, and how much it remembers.
struct JointShape {
  std::size_t source_words = 0, target_words = 0;  ///< sizes of the vocabularies
  std::size_t window = 11;     ///< source words around the one that a target word is aligned to; odd
  std::size_t history = 3;     ///< target words before it
  std::size_t embedding = 64;  ///< numbers for a word; a multiple of kLanes, and so is
  std::size_t hidden = 256;

  std::size_t context() const { return window + history; }
  std::size_t inputs() const { return context() * embedding; }
};

/// Words that both vocabularies begin with.
enum SpecialWord : unsigned {
  kBegin,    ///< what stands before a sentence
  kEnd,      ///< its end
  kNothing,  ///< a target word that is not known yet
  kRare,     ///< any other word
  kSpecialWords
};

}  // namespace isogloss::neural
