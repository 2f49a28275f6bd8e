#include "adapt/error_update.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace isogloss::adapt {
namespace {

constexpr std::size_t kMemory = 8;      // pairs of steps and gradient changes that stand for the curvature
constexpr double kSufficient = 1e-4;    // share of the promised decrease that a step must bring
constexpr std::size_t kHalvings = 30;
constexpr double kFirstStep = 0.3;      // length of the first step at most; the usual distance of candidates is 1

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Evaluates objective and gradient; storage is kept between points.
class Objective {
 public:
  Objective(const CandidateLists& lists, const ExpectedLoss& loss, std::span<const double> strengths,
            std::span<const double> baseline, double sharpness)
      : lists_(lists), loss_(loss), strengths_(strengths), baseline_(baseline), sharpness_(sharpness),
        probabilities_(lists.rows(), 0.0), slopes_(lists.rows(), 0.0) {
    lists.check();
    if (loss.rows() != lists.rows()) throw std::invalid_argument("one error for each candidate is expected");
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
      if (strengths_[j] != 0) find_probabilities(j);
    value += loss_.at(lists_.offsets, strengths_, probabilities_, slopes_);
    for (std::size_t j = 0; j < lists_.examples(); ++j)
      if (strengths_[j] != 0) add_gradient(j, gradient);
    return value;
  }

 private:
  std::pair<std::size_t, std::size_t> rows_of(std::size_t example) const {
    return {static_cast<std::size_t>(lists_.offsets[example]), static_cast<std::size_t>(lists_.offsets[example + 1])};
  }

  void find_probabilities(std::size_t example) {
    const auto [begin, end] = rows_of(example);
    double highest = -INFINITY, total = 0;
    for (std::size_t row = begin; row < end; ++row) {
      probabilities_[row] = sharpness_ * lists_.dot(row, weights_.data());
      highest = std::max(highest, probabilities_[row]);
    }
    for (std::size_t row = begin; row < end; ++row) {
      probabilities_[row] = std::exp(probabilities_[row] - highest);
      total += probabilities_[row];
    }
    for (std::size_t row = begin; row < end; ++row) probabilities_[row] /= total;
  }

  /// α·Σ p·(slope − mean slope)·h
  void add_gradient(std::size_t example, std::span<double> gradient) {
    const auto [begin, end] = rows_of(example);
    double mean = 0;
    for (std::size_t row = begin; row < end; ++row) mean += probabilities_[row] * slopes_[row];
    for (std::size_t row = begin; row < end; ++row) {
      const double weight = sharpness_ * probabilities_[row] * (slopes_[row] - mean);
      if (std::abs(weight) > 1e-300) lists_.add(row, weight, gradient.data());
    }
  }

  const CandidateLists& lists_;
  const ExpectedLoss& loss_;
  std::span<const double> strengths_, baseline_;
  double sharpness_;
  std::vector<double> weights_, probabilities_, slopes_;
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

double error_objective(const CandidateLists& lists, const ExpectedLoss& loss, std::span<const double> strengths,
                       std::span<const double> baseline, std::span<const double> change, double sharpness,
                       std::span<double> gradient) {
  if (change.size() != baseline.size() || gradient.size() != baseline.size())
    throw std::invalid_argument("one change for each feature is expected");
  return Objective(lists, loss, strengths, baseline, sharpness)(change, gradient);
}

ErrorResult error_update(const CandidateLists& lists, const ExpectedLoss& loss, std::span<const double> strengths,
                         std::span<const double> baseline, std::span<const double> start, const ErrorOptions& options) {
  Objective objective(lists, loss, strengths, baseline, options.sharpness);
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
    // Without a picture of the curvature the gradient says where to, but not how far.
    double step = curvature.empty() ? std::min(1.0, kFirstStep / std::sqrt(dot(direction, direction))) : 1.0, value = 0;
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
    if (gained <= options.least_gain) break;
  }
  return result;
}

}  // namespace isogloss::adapt
