#include "grammar/smoothing.hpp"

#include <algorithm>

namespace isogloss::grammar {

void Discounts::estimate(Smoothing smoothing) {
  smoothing_ = smoothing;
  factors_.fill(1.0);
  const auto rules = [this](std::uint32_t seen) { return static_cast<double>(of_seen_[seen]); };
  if (smoothing == Smoothing::good_turing) {
    for (std::uint32_t seen = 1; seen <= kLargest; ++seen)
      if (of_seen_[seen] > 0 && of_seen_[seen + 1] > 0)
        factors_[seen] = std::min(1.0, (seen + 1) * rules(seen + 1) / (seen * rules(seen)));
  }
  if (smoothing == Smoothing::kneser_ney) {
    discounts_ = {0.5, 1.0, 1.5};
    if (std::all_of(of_seen_.begin() + 1, of_seen_.begin() + 5, [](std::uint64_t n) { return n > 0; })) {
      const double y = rules(1) / (rules(1) + 2 * rules(2));
      std::array<double, 3> estimated{};
      for (std::uint32_t i = 1; i <= 3; ++i) estimated[i - 1] = i - (i + 1) * y * rules(i + 1) / rules(i);
      bool sound = true;
      for (std::uint32_t i = 1; i <= 3; ++i) sound = sound && estimated[i - 1] > 0 && estimated[i - 1] < i;
      if (sound) discounts_ = estimated;
    }
    for (std::uint32_t seen = 1; seen <= kLargest; ++seen)
      factors_[seen] = 1.0 - discounts_[std::min(seen, 3u) - 1] / seen;
  }
}

}  // namespace isogloss::grammar
