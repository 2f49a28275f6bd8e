#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "search/constraint.hpp"

namespace isogloss::search {

/// Words that somebody has typed, numbered as in the references.
struct TypedWords {
  std::vector<WordId> words;
  bool half_typed = false;          ///< the last word may go on
  std::vector<bool> begin_alike;    ///< by number: whether a word begins as the half-typed one does
  std::vector<bool> forbidden;      ///< by number: words that must not come next; none if empty
  std::uint8_t most_edits = 0;      ///< words that may differ from what was typed
  float edit_cost = 0.0f;           ///< what each of them costs
};

/// Only translations that begin with typed words are wanted, the best of them by the model's score. A typed word that
/// no option has stands for any word. Words may be left out, added or exchanged, up to a limit and at a cost.
class PrefixConstraint final : public Constraint {
 public:
  PrefixConstraint(References references, TypedWords typed);

  bool with_model() const override { return true; }
  float optimistic_score(std::span<const WordId> words) const override;
  float score(std::uint32_t state, std::span<const WordId> words) const override;
  std::uint32_t after(std::uint32_t state, std::span<const WordId> words) override;
  float end(std::uint32_t state) const override;
  double final_score(std::span<const WordId> words) const override;

 private:
  /// So many typed words are done, at so many edits.
  struct Done {
    std::uint16_t words;
    std::uint8_t edits;
    auto operator<=>(const Done&) const = default;
  };
  using State = std::vector<Done>;  ///< by number of words; fewer edits for more words rule out the others

  bool same(std::size_t place, WordId word) const;
  bool forbids(WordId word) const { return word < typed_.forbidden.size() && typed_.forbidden[word]; }
  bool is_half(std::size_t place) const { return typed_.half_typed && place + 1 == typed_.words.size(); }
  void step(const State& from, WordId word, State& to) const;
  void add(State& state, Done done) const;
  static std::uint8_t fewest(const State& state);

  TypedWords typed_;
  std::size_t last_ = 0;  // what is done when nothing is wanted any longer
  mutable std::vector<bool> reachable_;  // by number; options are asked about before the search begins
  std::vector<State> states_;
  std::map<State, std::uint32_t> numbers_;
};

}  // namespace isogloss::search
