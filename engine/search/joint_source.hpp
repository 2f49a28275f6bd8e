#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "neural/joint_model.hpp"
#include "search/source.hpp"

namespace isogloss::search {

/// A source as a joint model sees it: one sentence, in a lattice the words on its best path.
class JointSource {
 public:
  /// `words` are the source's words by the numbers that its arcs call tokens.
  JointSource(const neural::JointModel& model, std::span<const std::uint32_t> target_numbers, const Source& source,
              std::span<const std::string> words);

  const neural::JointModel& model() const { return *model_; }
  /// The position of the word that lies over a place; the last is the end of the sentence.
  Place position(Place place) const { return positions_[place]; }
  std::size_t positions() const { return windows_.size() / model_->shape().hidden; }
  const float* window(std::size_t position) const { return windows_.data() + position * model_->shape().hidden; }

  /// The model's numbers of target words: of the rule table, of a source word that passes through, of a given one.
  std::uint32_t of_table(WordId word) const { return target_numbers_[word]; }
  std::uint32_t of_token(std::uint32_t token) const { return passed_[token]; }
  std::uint32_t of_fixed(const FixedWord& word) const { return model_->target_number(word.text); }

 private:
  const neural::JointModel* model_;
  std::span<const std::uint32_t> target_numbers_;
  std::vector<Place> positions_;
  std::vector<std::uint32_t> passed_;
  std::vector<float> windows_;
};

}  // namespace isogloss::search
