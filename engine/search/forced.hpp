#pragma once

#include <vector>

#include "search/constraint.hpp"

namespace isogloss::search {

/// Only derivations of one of the references are wanted, the best of them by the model's score.
class ForcedConstraint final : public Constraint {
 public:
  explicit ForcedConstraint(References references);

  bool with_model() const override { return true; }
  float optimistic_score(std::span<const WordId> words) const override;
  float score(std::uint32_t state, std::span<const WordId> words) const override;
  std::uint32_t after(std::uint32_t state, std::span<const WordId> words) override { return follow(state, words); }
  float end(std::uint32_t state) const override { return is_whole_[state] ? 0.0f : kNever; }
  double final_score(std::span<const WordId> words) const override;

 private:
  std::uint32_t follow(std::uint32_t state, std::span<const WordId> words) const;

  WordTree beginnings_;  // of all references; a state is one of them
  std::vector<bool> is_whole_;
};

}  // namespace isogloss::search
