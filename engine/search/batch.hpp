// What a decoder is asked for, and what it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/derivation.hpp"
#include "search/input.hpp"
#include "search/oracle.hpp"
#include "search/sentence_search.hpp"
#include "search/wording.hpp"

namespace isogloss::search {

/// What translations of the sentences of a batch are wanted.
struct BatchConstraint {
  using Texts = std::vector<std::vector<std::string>>;  ///< the references of a sentence, in words

  std::vector<Texts> references;  ///< by sentence
  bool forced = false;            ///< to the references; otherwise those with the highest BLEU
  SentenceBleu bleu;
  /// Only translations that begin with what somebody has typed: the first reference are the whole words, the second, if
  /// there is one, the forms of a half-typed word that follows them, the third words that must not come next.
  bool begun = false;
  std::uint8_t most_edits = 0;  ///< see TypedWords
  float edit_cost = 0.0f;

  /// What is wanted of one sentence.
  std::unique_ptr<Constraint> of(std::size_t sentence, const Input& input, const Wording& wording) const;
};

struct BatchRequest {
  std::size_t nbest = 1;
  bool distinct = true;      ///< candidates of a sentence read differently; otherwise their derivations differ
  bool derivations = false;
  bool fallback = false;     ///< where the limits leave no translation, give the best one from left to right
  bool keep = false;         ///< the searches
  std::size_t threads = 1;
  std::vector<double> time_limits;              ///< in seconds, one per sentence, or empty
  const BatchConstraint* constraint = nullptr;  ///< where BLEU is wanted, the scores of candidates are BLEU
};

/// A search, for those who ask for more than its candidates.
struct KeptSearch {
  Input input;
  std::unique_ptr<SentenceSearch> search;
  std::vector<Path> paths;  ///< of the candidates

  /// Of a candidate. Throws std::out_of_range if there is none.
  std::vector<features::SparseStep> sparse_steps(std::int64_t candidate) const;

  /// Throws std::invalid_argument if the search had no sparse features.
  features::SparseScorer& sparse() const;

  /// For each source phrase that the table has, the option of its most probable rule.
  std::vector<std::uint32_t> most_probable_options() const;
};

/// A sentence with its candidates, best first.
struct TranslatedSentence {
  KeptSearch kept;  ///< the input alone, unless searches were to be kept
  std::vector<std::vector<WordId>> words;
  std::vector<double> features;  ///< of all candidates, consecutively
  std::vector<double> scores;
  std::vector<std::vector<DerivationStep>> derivations;  ///< if they were asked for
  BeamStatistics statistics;

  std::size_t candidates() const { return scores.size(); }
};

/// The score of a translation is not a finite number: the weights are far too large.
struct ScoreError : std::runtime_error {
  ScoreError() : std::runtime_error("the score of a translation is not a finite number") {}
};

}  // namespace isogloss::search
