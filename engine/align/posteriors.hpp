#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "align/hmm.hpp"
#include "align/parameters.hpp"

namespace isogloss::align {

/// What one sentence pair's posteriors say about where partners stand, in one direction.
struct PositionCounts {
  JumpCounts jumps;     ///< HMM only
  double distance = 0;  ///< fast model only: expected distance from the diagonal, summed over words
  double log_likelihood = 0;
  void add(const PositionCounts& other);
};

/// Posteriors of one sentence pair in one direction under any of the models; scratch space for many pairs.
class DirectionPosteriors {
 public:
  /// Takes in the lengths; emissions are to be written before `run`.
  void resize(std::size_t given, std::size_t generated);

  /// For each given position the probability of `word` and of having a partner at all.
  float* emission(std::size_t word) { return emission_.data() + word * stride_; }
  float& null_emission(std::size_t word) { return null_emission_[word]; }

  /// Computes the posteriors and, with `counts`, adds what they say.
  void run(AlignmentModelType type, double tension, const JumpTable<float>& jumps, PositionCounts* counts);

  std::span<const float> posterior(std::size_t word) const;
  float null_posterior(std::size_t word) const;

 private:
  double run_independent(double tension, PositionCounts* counts);

  std::size_t given_ = 0, generated_ = 0, stride_ = 0;
  bool chained_ = false;
  std::vector<float> emission_, null_emission_, prior_, posterior_, null_posterior_;
  ForwardBackward<float> chain_;
};

/// Jump tables of both directions, made once for many pairs.
struct JumpTables {
  JumpTables(const AlignmentParameters& parameters, std::size_t max_length)
      : tables{JumpTable<float>(parameters.directions[0].jumps, parameters.uniform_jump, max_length),
               JumpTable<float>(parameters.directions[1].jumps, parameters.uniform_jump, max_length)} {}

  std::array<JumpTable<float>, 2> tables;
};

/// Both directions of one pair.
class PairPosteriors {
 public:
  void resize(std::size_t source_words, std::size_t target_words);

  /// Sets the lexical probabilities, plain, of the word at `source` and the one at `target`.
  void set(std::size_t source, std::size_t target, float forward, float backward) {
    directions_[0].emission(target)[source] = forward * partner_;
    directions_[1].emission(source)[target] = backward * partner_;
  }
  void set_null_target(std::size_t target, float probability) {
    directions_[0].null_emission(target) = probability * none_;
  }
  void set_null_source(std::size_t source, float probability) {
    directions_[1].null_emission(source) = probability * none_;
  }

  /// The null probability is taken into account by the setters: call this first.
  void use(const AlignmentParameters& parameters);

  /// `counts`, if given, are two: forward, backward.
  void run(const AlignmentParameters& parameters, const JumpTables& jumps, PositionCounts* counts);

  float forward(std::size_t source, std::size_t target) const {
    return directions_[0].posterior(target)[source];
  }
  float backward(std::size_t source, std::size_t target) const {
    return directions_[1].posterior(source)[target];
  }
  float null_target(std::size_t target) const { return directions_[0].null_posterior(target); }
  float null_source(std::size_t source) const { return directions_[1].null_posterior(source); }

 private:
  float partner_ = 1, none_ = 0;
  std::array<DirectionPosteriors, 2> directions_;
};

}  // namespace isogloss::align
