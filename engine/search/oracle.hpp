#pragma once

#include <cstdint>
#include <vector>

#include "base/interner.hpp"
#include "metric/bleu.hpp"
#include "metric/reference_lengths.hpp"
#include "search/constraint.hpp"

namespace isogloss::search {

using metric::bleu_scores;
using metric::BleuOptions;
using metric::ReferenceLength;
using metric::ReferenceLengths;

/// How the BLEU of a sentence is computed.
struct SentenceBleu {
  std::size_t order = 4;  ///< 1 to kMaxNgramOrder
  ReferenceLength length = ReferenceLength::kClosest;
  BleuOptions options;
};

/// The translations with the highest BLEU are wanted, whatever the model thinks of them.
///
/// BLEU is no sum over steps. A hypothesis is scored by a linear approximation (Tromble et al. 2008), which only
/// decides what is pruned; its end puts BLEU itself in the place of that. A state has all that BLEU will need, so
/// that without pruning the search is exact.
class OracleConstraint final : public Constraint {
 public:
  /// There must be at least one reference.
  OracleConstraint(References references, const SentenceBleu& bleu);

  bool with_model() const override { return false; }
  float optimistic_score(std::span<const WordId> words) const override { return score(start(), words); }
  float score(std::uint32_t state, std::span<const WordId> words) const override;
  std::uint32_t after(std::uint32_t state, std::span<const WordId> words) override;
  float end(std::uint32_t state) const override;
  /// BLEU, 0..1.
  double final_score(std::span<const WordId> words) const override;

 private:
  struct Ngram {
    std::uint32_t shorter;  // the same without its first word
    std::uint16_t size;
    std::uint16_t limit;    // most often in any one reference
  };
  struct State {
    std::uint32_t context = 0;        // the longest n-gram of the references that the hypothesis ends in
    std::uint32_t length = 0;
    std::vector<std::uint16_t> used;  // by n-gram: matches so far

    std::uint64_t hash() const;
    friend bool operator==(const State&, const State&) = default;
  };

  void count_ngrams();
  /// Calls `match(ngram)` for every n-gram of the references that one more word completes; returns the context then.
  template <class Match>
  std::uint32_t read(std::uint32_t context, WordId word, Match&& match) const;
  void add(State& state, std::span<const WordId> words) const;
  std::vector<std::uint32_t> matches(const State& state) const;
  double approximation(const State& state) const;
  double bleu(const State& state) const;

  SentenceBleu bleu_;
  ReferenceLengths lengths_;
  WordTree tree_;
  std::vector<Ngram> ngrams_;  // by node of the tree
  std::vector<double> gains_;  // by size of a matched n-gram
  double per_word_ = 0;
  Interner<State> states_;
  mutable std::vector<std::uint32_t> matched_;  // scratch
};

}  // namespace isogloss::search
