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
  double log_prob = 0;           ///< log10, of all words
  double unknown_log_prob = 0;   ///< the part of it that unknown words contribute
  std::uint32_t words = 0;       ///< scored words, the end of the sentence included
  std::uint32_t unknown = 0;     ///< those of them that the model does not hold
};

/// Scores whole sentences; words are separated by ASCII white space. One object per thread.
class SentenceScorer {
 public:
  SentenceScorer(const Model& model, const SentenceOptions& options) : model_(model), options_(options) {}

  SentenceScore score(std::string_view sentence);

  /// Appends one score per word and, if options say so, one for the end of the sentence.
  void score_words(std::string_view sentence, std::vector<WordScore>& scores, std::vector<WordId>& ids);

 private:
  void read(std::string_view sentence);

  const Model& model_;
  SentenceOptions options_;
  std::vector<std::uint64_t> hashes_;
  std::vector<WordId> ids_;
};

/// Scores many sentences on several threads, into `scores` of the same length.
void score_sentences(const Model& model, std::span<const std::string_view> sentences,
                     const SentenceOptions& options, std::size_t threads, std::span<SentenceScore> scores);

}  // namespace isogloss::lm
