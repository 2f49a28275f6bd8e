#include "search/estimates.hpp"

#include <algorithm>

namespace isogloss::search {

Estimates::Estimates(const Source& source, const Options& options)
    : places_(source.places()), values_(places_ * places_, kImpossible) {
  // By rising end and falling begin, every span comes after all spans inside it.
  for (std::size_t end = 0; end < places_; ++end) {
    values_[end * places_ + end] = 0.0f;
    for (std::size_t begin = end; begin-- > 0;) {
      const Span span{static_cast<Place>(begin), static_cast<Place>(end)};
      if (!source.reaches(span.begin, span.end)) continue;
      float best = kImpossible;
      for (const Match& match : options.of(span)) {
        if (match.options_begin == match.options_end) continue;
        float value = options.options[match.options_begin].optimistic_score;
        for (const Span& gap : match.gaps()) value += of(gap);
        best = std::max(best, value);
      }
      const float* left = values_.data() + begin * places_;
      for (std::size_t middle = begin + 1; middle < end; ++middle)
        best = std::max(best, left[middle] + values_[middle * places_ + end]);
      values_[begin * places_ + end] = std::max(best, kImpossible);
    }
  }
}

}  // namespace isogloss::search
