#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "neural/joint_shape.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::neural {

/// The most target words that a model can see before the one it predicts.
inline constexpr std::size_t kMostHistory = 7;

/// The numbers of a joint model, row after row; they lie elsewhere.
struct JointArrays {
  std::span<const float> source_embedding;  ///< source words x embedding
  std::span<const float> source_hidden;     ///< (window x embedding) x hidden
  std::span<const float> hidden_bias;
  std::span<const float> history;           ///< (history x target words) x hidden: what each word adds to the hidden layer
  std::span<const float> output;            ///< target words x hidden
  std::span<const float> output_bias;
};

/// Predicts the next target word from the last ones and from the source words around the one it is aligned to (Devlin
/// et al. 2014). Scores are log probabilities that are nearly normalized. Any number of threads may share one.
class JointModel {
 public:
  /// Throws std::invalid_argument if sizes do not fit one another or a number is not finite.
  JointModel(const JointShape& shape, const JointArrays& arrays, const text::Vocabulary& source_words,
             const text::Vocabulary& target_words);

  const JointShape& shape() const { return shape_; }
  std::uint32_t source_number(std::string_view word) const { return number(source_words_, word); }
  std::uint32_t target_number(std::string_view word) const { return number(target_words_, word); }

  /// What the source adds to the hidden layer, for each position of a sentence and its end: rows of `shape().hidden`.
  void windows(std::span<const std::uint32_t> source, std::vector<float>& out) const;

  /// Natural logarithm of the probability of a word. `history` has the last word first.
  float score(const float* window, std::span<const std::uint32_t> history, std::uint32_t word) const;

 private:
  static std::uint32_t number(const text::Vocabulary& words, std::string_view word);

  JointShape shape_;
  JointArrays arrays_;
  const text::Vocabulary& source_words_;
  const text::Vocabulary& target_words_;
};

}  // namespace isogloss::neural
