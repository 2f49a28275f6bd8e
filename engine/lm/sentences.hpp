#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lm/model.hpp"

namespace isogloss::lm {

struct SentenceOptions {
  bool begin = true;  ///< the first word stands at the beginning of a sentence
  bool end = true;    ///< the end of the sentence is scored too
};

struct SentenceScore {
  double log_prob = 0;          ///< log10, of all words
  double unknown_log_prob = 0;  ///< the part of it that unknown words contribute
  std::uint32_t words = 0;      ///< scored words, the end of the sentence included
  std::uint32_t unknown = 0;    ///< those of them that the model does not hold
};

/// Scores whole sentences, whose words are separated by ASCII whitespace, on several threads. `scores` has
/// as many places as there are sentences. Faster than sentence by sentence, because the words to come are
/// known: the memory they need is asked for while earlier ones are scored.
void score_sentences(const Model& model, std::span<const std::string_view> sentences,
                     const SentenceOptions& options, std::size_t threads, std::span<SentenceScore> scores);

struct ScoredWord {
  WordId word;
  WordScore score;
};

/// The words of one sentence and, if options say so, its end.
std::vector<ScoredWord> score_words(const Model& model, std::string_view sentence,
                                    const SentenceOptions& options);

}  // namespace isogloss::lm
