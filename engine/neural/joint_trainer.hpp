#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neural/joint_shape.hpp"

namespace isogloss::neural {

/// Aligned text by number of word. Samples are the target words, each sentence's end included.
struct JointText {
  std::span<const std::uint32_t> source, target;            ///< words of all sentences, ends not included
  std::span<const std::int64_t> source_begin, target_begin; ///< by sentence, one more than there are sentences
  /// For every sample the source position it belongs to; the end of a sentence belongs to that of the source.
  std::span<const std::uint32_t> position;

  std::size_t sentences() const { return source_begin.size() - 1; }
  std::size_t samples() const { return target.size() + sentences(); }
};

struct JointTraining {
  std::size_t batch = 256;
  std::size_t noise = 512;          ///< words per batch that true ones are told from
  float penalty = 0.5f;             ///< of the squared logarithm of what probabilities sum to
  float hidden_dropout = 0.1f;      ///< share of hidden units left out of a sample
  float history_dropout = 0.1f;     ///< share of samples whose history is cut off somewhere
  std::uint64_t seed = 1;
};

/// All numbers that are learned, row after row.
struct JointParameters {
  std::vector<float> source_embedding, target_embedding;  ///< words x embedding
  std::vector<float> hidden;                              ///< inputs x hidden: window from left to right, then the last word first
  std::vector<float> hidden_bias;
  std::vector<float> output;                              ///< target words x hidden
  std::vector<float> output_bias;
};

/// Learns a joint model with AdaGrad: maximum likelihood, estimated from the true word and a few others drawn at random,
/// with a penalty that keeps the sum of all probabilities near 1. The result depends on the seed and the order of the
/// samples only, not on the number of threads.
class JointTrainer {
 public:
  /// `noise` are probabilities of the target words. Throws std::invalid_argument if sizes or numbers do not fit.
  JointTrainer(const JointShape& shape, const JointText& text, std::span<const double> noise,
               const JointTraining& training);

  /// Learns from samples in this order. Steps change evenly from `step` to `last_step`.
  void train(std::span<const std::uint32_t> samples, float step, float last_step, std::size_t threads);
  /// For each sample the hidden layer, the score of the true word, and the logarithm of what all probabilities sum to.
  void predict(std::span<const std::uint32_t> samples, std::size_t threads, std::span<float> hidden,
               std::span<double> scores, std::span<double> log_sums) const;

  const JointShape& shape() const { return shape_; }
  JointParameters& parameters() { return parameters_; }
  /// Sums of squared gradients, which steps depend on.
  JointParameters& squares() { return squares_; }
  std::uint64_t& steps() { return steps_; }

 private:
  struct Batch;

  /// Words that sample sees: the window, then the last target word first.
  void context(std::uint32_t sample, std::span<std::uint32_t> out) const;
  std::uint32_t target(std::uint32_t sample) const;
  const float* embedding(std::size_t place, std::uint32_t word) const;
  void forward(const std::uint32_t* words, std::size_t count, float* inputs, float* hidden) const;
  void choose_noise(Batch& batch) const;
  void learn(Batch& batch, float step, std::size_t threads);
  void tell_from_noise(Batch& batch, std::size_t first, std::size_t last) const;
  void propagate(Batch& batch, std::size_t first, std::size_t last) const;
  void update_hidden(const Batch& batch, std::size_t first, std::size_t last, float step);
  void update_embeddings(const Batch& batch, bool of_source, float step);
  void update_output(const Batch& batch, float step);

  JointShape shape_;
  JointText text_;
  JointTraining training_;
  std::vector<double> noise_;        // probabilities
  std::vector<float> log_expected_;  // log of how often a word comes in a batch of noise
  std::vector<double> cumulative_;   // of them
  std::vector<std::uint32_t> sentence_of_;  // by sample
  JointParameters parameters_, squares_;
  std::uint64_t steps_ = 0;
};

}  // namespace isogloss::neural
