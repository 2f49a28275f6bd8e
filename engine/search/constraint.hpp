#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/vocabulary.hpp"

namespace isogloss::search {

/// Reference translations of one sentence. Their words are numbered from 1; 0 stands for all other words.
struct References {
  std::vector<std::vector<WordId>> texts;
  std::unordered_map<WordId, WordId> numbers;  ///< of target words as options have them, where they are in a text
};

/// What translations are wanted, besides those that the model likes or instead of them: scores target words as they
/// are added to a hypothesis. What it remembers of a hypothesis is a small number; equal states have equal numbers.
/// All words are numbered as in the references. One per sentence.
class Constraint {
 public:
  static constexpr float kNever = -std::numeric_limits<float>::infinity();

  explicit Constraint(References references) : references_(std::move(references)) {}
  virtual ~Constraint() = default;

  WordId number(WordId target_word) const {
    const auto found = references_.numbers.find(target_word);
    return found == references_.numbers.end() ? 0 : found->second;
  }

  /// Whether the model's score counts as well.
  virtual bool with_model() const = 0;

  /// What words would add at the best, wherever they stand; kNever if they are wanted nowhere. Options that have more
  /// of it come first, whatever the model says.
  virtual float optimistic_score(std::span<const WordId> words) const = 0;

  std::uint32_t start() const { return 0; }
  /// What words add to a hypothesis; kNever if they are not wanted there.
  virtual float score(std::uint32_t state, std::span<const WordId> words) const = 0;
  virtual std::uint32_t after(std::uint32_t state, std::span<const WordId> words) = 0;
  /// What the end of the sentence adds, or kNever.
  virtual float end(std::uint32_t state) const = 0;

  /// What a whole translation gets, in double precision.
  virtual double final_score(std::span<const WordId> words) const = 0;

 protected:
  const std::vector<std::vector<WordId>>& texts() const { return references_.texts; }

 private:
  References references_;
};

/// Sequences of words as a tree; node 0 is the empty one.
class WordTree {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  std::uint32_t child(std::uint32_t node, WordId word) const {
    const auto found = children_.find(std::uint64_t{node} << 32 | word);
    return found == children_.end() ? kAbsent : found->second;
  }
  std::uint32_t add(std::uint32_t node, WordId word) {
    return children_.try_emplace(std::uint64_t{node} << 32 | word, static_cast<std::uint32_t>(size())).first->second;
  }
  std::size_t size() const { return children_.size() + 1; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

}  // namespace isogloss::search
