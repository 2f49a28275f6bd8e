// From estimated or parsed n-grams to the tables that queries use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lm/model.hpp"
#include "lm/table.hpp"
#include "lm/trie.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::lm {

/// Slots in use. Fuller tables are smaller; a search in them looks into more buckets.
inline constexpr double kMiddleLoad = 0.7;
inline constexpr double kLongestLoad = 0.75;
inline constexpr double kWordLoad = 0.6;

/// Stored form of a log probability; see Weights.
inline float stored_prob(float log_prob, bool extends_left) {
  const float size = log_prob < 0 ? -log_prob : 0.0f;
  return extends_left ? size : -size;
}

/// From the hash of each word to its number. Throws std::length_error if two words have the same hash.
TableBuilder<WordBucket> index_words(const text::Vocabulary& vocabulary);

/// Weights of all words of the first level; absent ones are marked.
void compile_unigrams(const Trie& trie, std::span<const float> log_probs, std::span<const float> backoffs,
                      std::span<Weights> unigrams);

/// Puts the kept n-grams among the entries [begin, end) of one order into a table.
void compile_middle(const Trie& trie, unsigned order, std::span<const float> log_probs,
                    std::span<const float> backoffs, std::size_t begin, std::size_t end,
                    TableBuilder<MiddleBucket>& table);
void compile_longest(const Trie& trie, std::span<const float> log_probs, std::size_t begin, std::size_t end,
                     TableBuilder<LongestBucket>& table);

}  // namespace isogloss::lm
