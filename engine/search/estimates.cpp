#include "search/estimates.hpp"

#include <algorithm>
#include <utility>

namespace isogloss::search {

Estimates::Estimates(const Source& source, const Options& options, Deadline deadline)
    : places_(source.places()), values_(places_ * places_, kImpossible) {
  // The best cover of a span is the match that it begins with and the best cover of what is behind that. By falling
  // begin and rising end, every span comes after all that this asks for.
  std::vector<std::pair<std::size_t, float>> first;  // where matches from `begin` end, and the best value of each
  for (std::size_t begin = places_; begin-- > 0;) {
    float* row = values_.data() + begin * places_;
    row[begin] = 0.0f;
    if (deadline.passed()) {
      for (std::size_t end = begin + 1; end < places_; ++end)
        if (source.reaches(static_cast<Place>(begin), static_cast<Place>(end))) row[end] = 0.0f;
      continue;
    }
    first.clear();
    for (std::size_t end = begin + 1; end < places_; ++end) {
      const Span span{static_cast<Place>(begin), static_cast<Place>(end)};
      float whole = kImpossible;
      for (const Match& match : options.of(span)) {
        if (match.options_begin == match.options_end) continue;
        float value = options.options[match.options_begin].optimistic_score;
        for (const Span& gap : match.gaps()) value += of(gap);
        whole = std::max(whole, value);
      }
      if (whole > kImpossible) first.emplace_back(end, whole);
      float best = kImpossible;
      for (const auto& [middle, value] : first) best = std::max(best, value + values_[middle * places_ + end]);
      row[end] = best;
    }
  }
}

}  // namespace isogloss::search
