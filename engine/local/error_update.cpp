#include "local/error_update.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace isogloss::local {
namespace {

constexpr std::size_t kMemory = 8;      // pairs of steps and gradient changes that stand for the curvature
constexpr double kSufficient = 1e-4;    // share of the promised decrease that a step must bring
constexpr std::size_t kHalvings = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Evaluates objective and gradient; storage is kept between points.
class Objective {
 public:
  Objective(const CandidateLists& lists, std::span<const double> errors, std::span<const double> strengths,
            std::span<const double> baseline, double sharpness)
      : lists_(lists), errors_(errors), strengths_(strengths), baseline_(baseline), sharpness_(sharpness) {
    lists.check();
    if (errors.size() != lists.rows()) throw std::invalid_argument("one error for each candidate is expected");
    if (strengths.size() != lists.examples()) throw std::invalid_argument("one strength for each example is expected");
    if (baseline.size() != lists.features()) throw std::invalid_argument("one weight for each feature is expected");
  }

  double operator()(std::span<const double> change, std::span<double> gradient) {
    weights_.assign(baseline_.begin(), baseline_.end());
    double value = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] += change[i];
      gradient[i] = change[i];
      value += change[i] * change[i] / 2;
    }
    for (std::size_t j = 0; j < lists_.examples(); ++j)
      if (strengths_[j] != 0) value += strengths_[j] * add_example(j, gradient);
    return value;
  }

 private:
  /// The expected error of an example; its gradient is α·E[(error − E[error])·h].
  double add_example(std::size_t example, std::span<double> gradient) {
    const auto begin = static_cast<std::size_t>(lists_.offsets[example]);
    const auto count = static_cast<std::size_t>(lists_.offsets[example + 1]) - begin;
    share_.resize(count);
    double highest = -INFINITY;
    for (std::size_t n = 0; n < count; ++n) {
      share_[n] = sharpness_ * lists_.dot(begin + n, weights_.data());
      highest = std::max(highest, share_[n]);
    }
    double total = 0, expected = 0;
    for (std::size_t n = 0; n < count; ++n) {
      share_[n] = std::exp(share_[n] - highest);
      total += share_[n];
      expected += share_[n] * errors_[begin + n];
    }
    expected /= total;
    const double scale = strengths_[example] * sharpness_ / total;
    for (std::size_t n = 0; n < count; ++n) {
      const double weight = scale * share_[n] * (errors_[begin + n] - expected);
      if (std::abs(weight) > 1e-300) lists_.add(begin + n, weight, gradient.data());
    }
    return expected;
  }

  const CandidateLists& lists_;
  std::span<const double> errors_, strengths_, baseline_;
  double sharpness_;
  std::vector<double> weights_, share_;
};

/// The last steps and what they did to the gradient (Nocedal 1980).
class Curvature {
 public:
  void add(std::vector<double> step, std::vector<double> difference) {
    const double product = dot(step, difference);
    if (!(product > 1e-12 * dot(difference, difference))) return;  // curves the wrong way: would not descend
    if (pairs_.size() == kMemory) pairs_.erase(pairs_.begin());
    pairs_.push_back({std::move(step), std::move(difference), 1 / product});
  }

  /// direction = −H·gradient
  void direction(std::span<const double> gradient, std::vector<double>& out) const {
    out.assign(gradient.begin(), gradient.end());
    std::vector<double> factors(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      factors[i] = pairs_[i].inverse * dot(pairs_[i].step, out);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] -= factors[i] * pairs_[i].difference[k];
    }
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      const double scale = 1 / (last.inverse * dot(last.difference, last.difference));
      for (double& value : out) value *= scale;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double factor = factors[i] - pairs_[i].inverse * dot(pairs_[i].difference, out);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += factor * pairs_[i].step[k];
    }
    for (double& value : out) value = -value;
  }

  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

 private:
  struct Pair {
    std::vector<double> step, difference;
    double inverse;
  };
  std::vector<Pair> pairs_;
};

}  // namespace

double error_objective(const CandidateLists& lists, std::span<const double> errors, std::span<const double> strengths,
                       std::span<const double> baseline, std::span<const double> change, double sharpness,
                       std::span<double> gradient) {
  if (change.size() != baseline.size() || gradient.size() != baseline.size())
    throw std::invalid_argument("one change for each feature is expected");
  return Objective(lists, errors, strengths, baseline, sharpness)(change, gradient);
}

ErrorResult error_update(const CandidateLists& lists, std::span<const double> errors,
                         std::span<const double> strengths, std::span<const double> baseline,
                         std::span<const double> start, const ErrorOptions& options) {
  Objective objective(lists, errors, strengths, baseline, options.sharpness);
  const std::size_t size = baseline.size();
  std::vector<double> gradient(size), next(size), next_gradient(size), direction;
  ErrorResult result{};
  result.change.assign(size, 0.0);
  result.start = result.objective = objective(result.change, gradient);
  if (!start.empty()) {
    if (start.size() != size) throw std::invalid_argument("one change for each feature is expected");
    const double there = objective(start, next_gradient);
    if (there < result.objective) {
      result.change.assign(start.begin(), start.end());
      result.objective = there;
      gradient = next_gradient;
    }
  }
  Curvature curvature;
  const auto steepest = [&] {
    double largest = 0;
    for (double value : gradient) largest = std::max(largest, std::abs(value));
    return largest;
  };
  while (result.iterations < options.iterations && steepest() > options.tolerance) {
    curvature.direction(gradient, direction);
    double slope = dot(gradient, direction);
    if (!(slope < 0)) {
      curvature.clear();
      curvature.direction(gradient, direction);
      slope = dot(gradient, direction);
    }
    double step = 1, value = 0;
    std::size_t halvings = 0;
    for (; halvings < kHalvings; ++halvings, step /= 2) {
      for (std::size_t i = 0; i < size; ++i) next[i] = result.change[i] + step * direction[i];
      value = objective(next, next_gradient);
      if (value <= result.objective + kSufficient * step * slope) break;
    }
    if (halvings == kHalvings) {
      if (curvature.empty()) break;
      curvature.clear();  // a bad picture of the curvature: begin again with the plain gradient
      continue;
    }
    ++result.iterations;
    std::vector<double> moved(size), turned(size);
    for (std::size_t i = 0; i < size; ++i) {
      moved[i] = next[i] - result.change[i];
      turned[i] = next_gradient[i] - gradient[i];
    }
    const double gained = result.objective - value;
    result.objective = value;
    result.change.swap(next);
    gradient.swap(next_gradient);
    curvature.add(std::move(moved), std::move(turned));
    if (gained <= options.tolerance * options.tolerance) break;
  }
  return result;
}

}  // namespace isogloss::local
