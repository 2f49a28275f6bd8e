#include "neural/joint_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "neural/matrix.hpp"

namespace isogloss::neural {
namespace {

constexpr std::string_view kEndingMark = "\u2026";
constexpr std::size_t kEnding = 3;  // code points

/// The last code points of a word.
std::string_view ending(std::string_view word) {
  std::size_t begin = word.size();
  for (std::size_t i = 0; i < kEnding && begin > 0; ++i) {
    --begin;
    while (begin > 0 && (static_cast<unsigned char>(word[begin]) & 0xc0) == 0x80) --begin;
  }
  return word.substr(begin);
}

}  // namespace

JointModel::JointModel(const JointShape& shape, const JointArrays& arrays, const text::Vocabulary& source_words,
                       const text::Vocabulary& target_words)
    : shape_(shape), arrays_(arrays), source_words_(source_words), target_words_(target_words) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  const auto fits = [](std::span<const float> values, std::size_t rows, std::size_t columns) {
    return columns > 0 && values.size() % columns == 0 && values.size() / columns == rows;
  };
  require(shape.window % 2 == 1 && shape.window < 1000, "the window must be odd");
  require(shape.history >= 1 && shape.history <= kMostHistory, "the history is too long");
  require(shape.embedding > 0 && shape.embedding % kLanes == 0 && shape.embedding < 100000 && shape.hidden > 0 &&
              shape.hidden % kLanes == 0 && shape.hidden < 100000,
          "sizes of layers must be multiples of 16");
  require(source_words.size() == shape.source_words && target_words.size() == shape.target_words &&
              shape.source_words >= kSpecialWords && shape.target_words >= kSpecialWords,
          "the vocabularies have other sizes");
  require(fits(arrays.source_embedding, shape.source_words, shape.embedding), "source_embedding has another size");
  require(fits(arrays.source_hidden, shape.window * shape.embedding, shape.hidden), "source_hidden has another size");
  require(arrays.hidden_bias.size() == shape.hidden, "hidden_bias has another size");
  require(fits(arrays.history, shape.history * shape.target_words, shape.hidden), "history has another size");
  require(fits(arrays.output, shape.target_words, shape.hidden), "output has another size");
  require(arrays.output_bias.size() == shape.target_words, "output_bias has another size");
}

std::uint32_t JointModel::number(const text::Vocabulary& words, std::string_view word) {
  const WordId found = words.find(word);
  if (found != kNoWord && found >= kSpecialWords) return found;
  const WordId alike = words.find(std::string(kEndingMark) + std::string(ending(word)));
  return alike == kNoWord ? static_cast<std::uint32_t>(kRare) : alike;
}

void JointModel::windows(std::span<const std::uint32_t> source, std::vector<float>& out) const {
  // The sentence with what stands around it: then every window is a stretch of one long row.
  const std::size_t around = shape_.window / 2, positions = source.size() + 1;
  std::vector<float> inputs((positions + 2 * around) * shape_.embedding);
  for (std::size_t i = 0; i < positions + 2 * around; ++i) {
    const std::uint32_t word = i < around ? static_cast<std::uint32_t>(kBegin)
                               : i - around < source.size() ? source[i - around]
                                                            : static_cast<std::uint32_t>(kEnd);
    std::copy_n(arrays_.source_embedding.data() + word * shape_.embedding, shape_.embedding,
                inputs.data() + i * shape_.embedding);
  }
  out.resize(positions * shape_.hidden);
  for (std::size_t i = 0; i < positions; ++i)
    std::ranges::copy(arrays_.hidden_bias, out.data() + i * shape_.hidden);
  multiply(positions, shape_.hidden, shape_.window * shape_.embedding, {inputs.data(), shape_.embedding, 1},
           {arrays_.source_hidden.data(), shape_.hidden, 1}, out.data(), shape_.hidden, true);
}

float JointModel::score(const float* window, std::span<const std::uint32_t> history, std::uint32_t word) const {
  const float* vectors[1 + kMostHistory] = {window};
  for (std::size_t i = 0; i < shape_.history; ++i)
    vectors[1 + i] = arrays_.history.data() + (i * shape_.target_words + history[i]) * shape_.hidden;
  return arrays_.output_bias[word] + rectified_dot(vectors, 1 + shape_.history,
                                                   arrays_.output.data() + word * shape_.hidden, shape_.hidden);
}

}  // namespace isogloss::neural
