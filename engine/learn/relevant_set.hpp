// Approximate relevant set training (Tillmann and Zhang 2006): for every sentence some sequences that are as good as
// can be, the truths, and some that a decoder preferred to them, the alternatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/scaled_weights.hpp"
#include "learn/sequence_rows.hpp"

namespace isogloss::learn {

struct SgdOptions {
  double learning_rate = 0.1;   ///< η at the beginning
  double decay = 0;             ///< after p passes the rate is η / (1 + decay · p)
  double regularization = 0;    ///< λ
};

/// What a pass of stochastic gradient descent did.
struct SgdPass {
  std::size_t steps = 0;        ///< pairs of a truth and its most costly alternative that were looked at
  std::size_t updates = 0;      ///< of them those that cost anything
  double loss = 0;              ///< summed costs, each under the weights before its step
};

/// The cost of a truth that beats an alternative by a margin: (quality - other quality) · max(0, 1 - margin)²; no
/// cost if the alternative is no worse.
inline double cost_margin(double quality_difference, double margin) {
  const double violation = 1 - margin;
  return quality_difference > 0 && violation > 0 ? quality_difference * violation * violation : 0.0;
}

class RelevantSet {
 public:
  enum class Role : std::uint8_t { kKnown, kAlternative, kTruth };

  RelevantSet(std::size_t sentences, std::size_t truths, std::size_t real_columns, std::uint32_t min_count);

  /// Adds a sequence unless the sentence has it. One that is better than the worst truth takes its place, and that
  /// becomes an alternative; as long as there are fewer truths than wanted, a sequence `as_truth` becomes one.
  Role add(std::size_t sentence, const SequenceFeatures& sequence, double quality, bool as_truth);

  /// For each truth of a sentence the most costly of some sequences under the weights as they are now, without those
  /// that cost nothing: positions, each once, rising.
  std::vector<std::size_t> most_costly(std::size_t sentence, std::span<const SequenceFeatures> sequences,
                                       std::span<const double> qualities) const;

  /// One pass over sentences in this order; a step for every truth.
  SgdPass sweep(std::span<const std::uint32_t> order, const SgdOptions& options);
  /// Goes on from these weights, one for each column, with the learning rate and the mean at their beginning.
  void restart(std::span<const double> weights);

  /// Σ over truths of the cost of the most costly alternative, divided by the number of truths: Φ of every sentence.
  std::vector<double> losses(std::size_t threads) const;

  const SequenceRows& rows() const { return rows_; }
  SequenceRows& rows() { return rows_; }
  const ScaledWeights& weights() const { return weights_; }
  ScaledWeights& weights() { return weights_; }
  std::size_t sentences() const { return sets_.size(); }
  std::size_t truths(std::size_t sentence) const { return sets_[sentence].truths.size(); }
  std::size_t alternatives(std::size_t sentence) const { return sets_[sentence].alternatives.size(); }
  /// The mean quality of a sentence's best truth, over sentences that have one.
  double best_quality() const;

 private:
  struct Member {
    std::uint32_t row;
    double quality;
    std::uint64_t hash;
  };
  struct Set {
    std::vector<Member> truths, alternatives;
  };
  struct Costly {
    double cost = 0, difference = 0, margin = 0;
    std::size_t alternative = 0;
  };

  double score(std::uint32_t row) const { return weights_.product(rows_.row(row)); }
  static Costly most_costly(const Set& set, const Member& truth, double truth_score, std::span<const double> scores);
  void step(const Set& set, const SgdOptions& options, double steps_per_pass, std::vector<double>& scores,
            SgdPass& pass);

  std::size_t truths_;
  SequenceRows rows_;
  ScaledWeights weights_;
  std::vector<Set> sets_;
  std::uint64_t steps_ = 0;  // since the rate was at its beginning
};

}  // namespace isogloss::learn
