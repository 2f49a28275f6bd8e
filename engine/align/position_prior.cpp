#include "align/position_prior.hpp"

#include <algorithm>
#include <cmath>

namespace isogloss::align {
namespace {

/// The partners of word j fall into two geometric series, going down from the diagonal and going up.
struct Series {
  double first;  ///< distance of the nearest partner, in steps of 1 / given
  std::size_t terms;
};

struct Diagonal {
  std::size_t below;  ///< partners at or before the diagonal
  Series down, up;
};

Diagonal diagonal(std::size_t j, std::size_t given, std::size_t generated) {
  const double center = static_cast<double>(j * given) / static_cast<double>(generated);
  const std::size_t below = j * given / generated;
  const double nearest = static_cast<double>(below);
  return {below, {center - nearest, below}, {nearest + 1 - center, given - below}};
}

/// Sum of exp(-rate * (first + m)) for m below `terms`.
double sum_of(const Series& series, double rate) {
  if (rate == 0) return static_cast<double>(series.terms);
  return std::exp(-rate * series.first) * std::expm1(-rate * static_cast<double>(series.terms)) /
         std::expm1(-rate);
}

/// Sum of (first + m) * exp(-rate * (first + m)).
double moment_of(const Series& series, double rate) {
  const double n = static_cast<double>(series.terms);
  if (rate < 0.01) {  // the closed form divides by rate squared
    double sum = 0;
    for (double m = 0; m < n; ++m) sum += (series.first + m) * std::exp(-rate * (series.first + m));
    return sum;
  }
  const double r = std::exp(-rate), rest = -std::expm1(-rate);
  const double steps = r * (1 - n * std::pow(r, n - 1) + (n - 1) * std::pow(r, n)) / (rest * rest);
  return series.terms == 0 ? 0 : series.first * sum_of(series, rate) + std::exp(-rate * series.first) * steps;
}

}  // namespace

double position_normalizer(std::size_t j, std::size_t given, std::size_t generated, double tension) {
  const Diagonal at = diagonal(j, given, generated);
  const double rate = tension / static_cast<double>(given);
  return sum_of(at.down, rate) + sum_of(at.up, rate);
}

double expected_distance(std::size_t j, std::size_t given, std::size_t generated, double tension) {
  const Diagonal at = diagonal(j, given, generated);
  const double rate = tension / static_cast<double>(given);
  const double moments = moment_of(at.down, rate) + moment_of(at.up, rate);
  return moments / (sum_of(at.down, rate) + sum_of(at.up, rate)) / static_cast<double>(given);
}

template <class Real>
void position_prior(std::size_t j, std::size_t generated, double tension, double scale,
                    std::span<Real> prior) {
  const std::size_t given = prior.size();
  if (tension == 0) {
    std::fill(prior.begin(), prior.end(), static_cast<Real>(scale / static_cast<double>(given)));
    return;
  }
  const Diagonal at = diagonal(j, given, generated);
  const double rate = tension / static_cast<double>(given), step = std::exp(-rate);
  const double unit = scale / (sum_of(at.down, rate) + sum_of(at.up, rate));
  double value = unit * std::exp(-rate * at.down.first);
  for (std::size_t i = at.below; i-- > 0; value *= step) prior[i] = static_cast<Real>(value);
  value = unit * std::exp(-rate * at.up.first);
  for (std::size_t i = at.below; i < given; ++i, value *= step) prior[i] = static_cast<Real>(value);
}

template void position_prior<float>(std::size_t, std::size_t, double, double, std::span<float>);
template void position_prior<double>(std::size_t, std::size_t, double, double, std::span<double>);

double best_tension(std::span<const PositionMass> masses, double observed_distance) {
  const auto surplus = [&](double tension) {
    double distance = 0;
    for (const PositionMass& at : masses)
      distance += at.mass * expected_distance(at.j, at.given, at.generated, tension);
    return distance - observed_distance;  // falls with rising tension
  };
  double low = 0.01, high = 50;
  double at_low = surplus(low), at_high = surplus(high);
  if (!(at_low > 0)) return low;
  if (!(at_high < 0)) return high;
  // False position, halving the weight of an end that stays twice running (the Illinois rule).
  int stayed = 0;
  for (int step = 0; step < 100 && high - low > 1e-10; ++step) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    const double at_middle = surplus(middle);
    if (std::abs(at_middle) <= 1e-13 * observed_distance) return middle;
    if (at_middle > 0) {
      low = middle, at_low = at_middle;
      if (stayed == 1) at_high /= 2;
      stayed = 1;
    } else {
      high = middle, at_high = at_middle;
      if (stayed == -1) at_low /= 2;
      stayed = -1;
    }
  }
  return (low + high) / 2;
}

}  // namespace isogloss::align
