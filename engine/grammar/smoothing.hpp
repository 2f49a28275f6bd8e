#pragma once

#include <array>
#include <cstdint>

namespace isogloss::grammar {

enum class Smoothing : std::uint8_t { none, kneser_ney, good_turing };

/// How many rules were seen how often, and what that says about the worth of a count (Foster, Kuhn & Johnson
/// 2006). A rule's count is multiplied by `factor(seen)`: discounts go by how often it was seen, which is a
/// whole number even where counts are shared.
class Discounts {
 public:
  void count(std::uint32_t seen) {
    ++rules_;
    if (seen < of_seen_.size()) ++of_seen_[seen];
  }

  /// Ends counting. Kneser-Ney is the modified kind with three discounts, 0.5, 1 and 1.5 where the data
  /// cannot tell them; Good-Turing is for rules seen up to ten times, and never raises a count.
  void estimate(Smoothing smoothing);

  double factor(std::uint32_t seen) const { return seen < factors_.size() ? factors_[seen] : beyond(seen); }

  /// Whether discounted mass goes to the other side's share of distinct rules.
  bool interpolates() const { return smoothing_ == Smoothing::kneser_ney; }

  std::uint64_t rules() const { return rules_; }

  /// Kneser-Ney's discounts of rules seen once, twice and more often.
  const std::array<double, 3>& kneser_ney() const { return discounts_; }

 private:
  static constexpr std::uint32_t kLargest = 10;

  double beyond(std::uint32_t seen) const { return interpolates() ? 1.0 - discounts_[2] / seen : 1.0; }

  Smoothing smoothing_ = Smoothing::none;
  std::uint64_t rules_ = 0;
  std::array<std::uint64_t, kLargest + 2> of_seen_{};
  std::array<double, 3> discounts_{};
  std::array<double, kLargest + 1> factors_{};
};

}  // namespace isogloss::grammar
