#pragma once

#include <vector>

#include "search/deadline.hpp"
#include "search/options.hpp"
#include "search/source.hpp"

namespace isogloss::search {

/// For every span, an optimistic guess of what translating it will add to the score: the best single match with
/// its gaps filled at their own guesses, or the best split in two. Orders hypotheses, never scores them.
class Estimates {
 public:
  static constexpr float kImpossible = -1e30f;

  /// What is not found before the deadline is guessed to add nothing.
  Estimates(const Source& source, const Options& options, Deadline deadline = {});

  float of(Span span) const { return values_[std::size_t{span.begin} * places_ + span.end]; }

 private:
  std::size_t places_;
  std::vector<float> values_;
};

}  // namespace isogloss::search
