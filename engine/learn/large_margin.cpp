#include "learn/large_margin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/offsets.hpp"
#include "learn/distinct_statistics.hpp"
#include "learn/gram.hpp"

namespace isogloss::learn {
namespace {

// |dh|^2 is a difference of larger numbers; below this part of them it is rounding.
constexpr double kRounding = 1e-13;

/// The dual problem and where the ascent stands: all in terms of rows, whatever the number of features.
class Dual {
 public:
  Dual(const FeatureRows& rows, std::span<const MarginPair> pairs, const LargeMarginOptions& options)
      : bound_(options.aggressiveness),
        rows_(rows.size()),
        gram_(gram_matrix(rows)),
        products_(rows.size(), 0.0),
        update_{std::vector<double>(pairs.size(), 0.0), std::vector<double>(rows.size(), 0.0)} {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto [oracle, other, loss] = pairs[p];
      const double norm = distance(oracle, other);
      if (norm <= kRounding * (gram(oracle, oracle) + gram(other, other))) continue;
      if (loss <= 0 && !options.keep) continue;
      active_.push_back({p, oracle, other, loss - (rows.scores[oracle] - rows.scores[other]), norm});
    }
  }

  /// One alpha at a time, each between 0 and C.
  void ascend_boxed(const LargeMarginOptions& options) {
    for (; update_.steps < options.max_steps; ++update_.steps) {
      double gap = 0, primal = 0, best_gain = 0, best_move = 0;
      const Active* best = nullptr;
      for (const Active& pair : active_) {
        const double slope = gradient(pair), alpha = update_.alphas[pair.number];
        primal += bound_ * std::max(slope, 0.0);
        gap += bound_ * std::max(slope, 0.0) - alpha * slope;
        const double move = std::clamp(slope / pair.norm, -alpha, bound_ - alpha);
        const double gain = move * (slope - move * pair.norm / 2);
        if (gain > best_gain) best_gain = gain, best_move = move, best = &pair;
      }
      if (best == nullptr || finished(gap, primal, options)) break;
      move(*best, best_move);
      if (face_is_due()) climb_face(nullptr);
    }
  }

  /// The sum of all alphas is at most C. What is left of C is mass of its own, which changes no weight and has
  /// slope 0; every step moves mass from one holder to a better one.
  void ascend_shared(const LargeMarginOptions& options) {
    double rest = bound_;
    for (; update_.steps < options.max_steps; ++update_.steps) {
      const Active* to = nullptr;  // nullptr: the rest
      double highest = 0, held = 0;
      for (const Active& pair : active_) {
        const double slope = gradient(pair);
        held += update_.alphas[pair.number] * slope;
        if (slope > highest) highest = slope, to = &pair;
      }
      if (finished(bound_ * highest - held, bound_ * highest, options)) break;

      const Active* from = nullptr;
      double best_gain = 0, best_move = 0;
      const auto consider = [&](const Active* pair, double mass, double slope, double norm) {
        if (mass <= 0 || slope >= highest) return;
        const double move = norm > 0 ? std::min((highest - slope) / norm, mass) : mass;
        const double gain = move * (highest - slope - move * norm / 2);
        if (gain > best_gain) best_gain = gain, best_move = move, from = pair;
      };
      if (to != nullptr) consider(nullptr, rest, 0, to->norm);
      for (const Active& pair : active_)
        if (&pair != to)
          consider(&pair, update_.alphas[pair.number], gradient(pair),
                   to == nullptr ? pair.norm : distance(*to, pair));
      if (best_gain <= 0) break;
      transfer(from, to, best_move, rest);
      if (face_is_due()) {
        const bool tied = rest <= 0;
        climb_face(&rest);
        rest = settle(tied);
      }
    }
  }

  /// The objectives at the end. Kept apart from the ascent because slacks differ.
  LargeMarginUpdate finish(bool slack_per_pair) {
    double half_norm = 0, linear = 0, slack = 0;
    for (std::size_t r = 0; r < rows_; ++r) half_norm += update_.coefficients[r] * products_[r] / 2;
    for (const Active& pair : active_) {
      const double over = std::max(gradient(pair), 0.0);
      linear += update_.alphas[pair.number] * pair.violation;
      slack = slack_per_pair ? slack + over : std::max(slack, over);
    }
    update_.dual = linear - half_norm;
    update_.primal = half_norm + bound_ * slack;
    return std::move(update_);
  }

 private:
  struct Active {
    std::size_t number;  // of the pair
    std::uint32_t oracle, other;
    double violation;    // loss - w·dh before the update
    double norm;         // |dh|^2
  };

  double gram(std::size_t a, std::size_t b) const { return gram_[a * rows_ + b]; }
  double distance(std::size_t a, std::size_t b) const { return gram(a, a) + gram(b, b) - 2 * gram(a, b); }
  /// |dh of one - dh of the other|^2; 0 if it is only rounding.
  double distance(const Active& a, const Active& b) const {
    const double product = gram(a.oracle, b.oracle) - gram(a.oracle, b.other) - gram(a.other, b.oracle) +
                           gram(a.other, b.other);
    const double squared = a.norm + b.norm - 2 * product;
    return squared <= kRounding * (a.norm + b.norm) ? 0 : squared;
  }

  /// Slope of the dual: loss - w'·dh under the weights that the alphas give now.
  double gradient(const Active& pair) const {
    return pair.violation - (products_[pair.oracle] - products_[pair.other]);
  }

  bool finished(double gap, double slack, const LargeMarginOptions& options) const {
    double half_norm = 0;
    for (std::size_t r = 0; r < rows_; ++r) half_norm += update_.coefficients[r] * products_[r] / 2;
    return gap <= options.tolerance * (half_norm + slack);
  }

  bool face_is_due() const { return update_.steps % (2 * rows_) == 2 * rows_ - 1; }

  /// Conjugate gradients among the alphas that are at no bound, until one of them reaches a bound: where
  /// features are of very different sizes, single steps would zigzag for ever. `rest` is what is left of a
  /// shared C, nullptr if every alpha has its own.
  void climb_face(double* rest) {
    const double bound = rest == nullptr ? bound_ : std::numeric_limits<double>::infinity();
    std::vector<const Active*> face;
    for (const Active& pair : active_)
      if (update_.alphas[pair.number] > 0 && update_.alphas[pair.number] < bound) face.push_back(&pair);
    if (face.size() < 2) return;
    const bool tied = rest != nullptr && *rest <= 0;  // the alphas' sum cannot change
    std::vector<double> direction(face.size(), 0.0), coefficients(rows_), products(rows_);
    multiply(update_.coefficients, products_);  // what many small steps added up has rounding in it

    double previous = 0;
    for (std::size_t iteration = 0; iteration < rows_; ++iteration) {
      double mean = 0, size = 0, sum = 0, slope = 0;
      for (const Active* pair : face) mean += tied ? gradient(*pair) / static_cast<double>(face.size()) : 0;
      for (const Active* pair : face) size += (gradient(*pair) - mean) * (gradient(*pair) - mean);
      std::fill(coefficients.begin(), coefficients.end(), 0.0);
      double longest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < face.size(); ++i) {
        const Active& pair = *face[i];
        direction[i] = gradient(pair) - mean + (iteration == 0 ? 0 : size / previous) * direction[i];
        coefficients[pair.oracle] += direction[i];
        coefficients[pair.other] -= direction[i];
        sum += direction[i];
        slope += direction[i] * gradient(pair);
        longest = std::min(longest, room(pair, direction[i], bound));
      }
      if (rest != nullptr && !tied && sum > 0) longest = std::min(longest, *rest / sum);
      multiply(coefficients, products);
      double curvature = 0;
      for (std::size_t r = 0; r < rows_; ++r) curvature += coefficients[r] * products[r];
      const double step = curvature > 0 ? std::min(slope / curvature, longest) : longest;
      if (!(slope > 0) || !(step > 0) || !std::isfinite(step)) return;

      for (std::size_t i = 0; i < face.size(); ++i) {
        double& alpha = update_.alphas[face[i]->number];
        const bool reached = room(*face[i], direction[i], bound) <= step;
        alpha = reached ? (direction[i] < 0 ? 0 : bound) : alpha + step * direction[i];
      }
      for (std::size_t r = 0; r < rows_; ++r) {
        update_.coefficients[r] += step * coefficients[r];
        products_[r] += step * products[r];
      }
      if (rest != nullptr && !tied) *rest = std::max(*rest - step * sum, 0.0);
      if (step >= longest) return;
      previous = size;
    }
  }

  /// Makes good what rounding did to the alphas' sum while a face was climbed, where directions can be larger
  /// than the alphas by orders of magnitude: the sum is at most C, and C itself if all of it was `held`.
  /// Returns what is left of C.
  double settle(bool held) {
    double sum = 0;
    for (const Active& pair : active_) sum += update_.alphas[pair.number];
    if (held || sum > bound_)
      for (const Active& pair : active_) update_.alphas[pair.number] *= bound_ / sum;
    std::fill(update_.coefficients.begin(), update_.coefficients.end(), 0.0);
    for (const Active& pair : active_) {
      update_.coefficients[pair.oracle] += update_.alphas[pair.number];
      update_.coefficients[pair.other] -= update_.alphas[pair.number];
    }
    multiply(update_.coefficients, products_);
    return held ? 0 : std::max(bound_ - sum, 0.0);
  }

  /// How far the pair's alpha can go in a direction.
  double room(const Active& pair, double direction, double bound) const {
    const double alpha = update_.alphas[pair.number];
    if (direction == 0) return std::numeric_limits<double>::infinity();
    return direction < 0 ? alpha / -direction : (bound - alpha) / direction;
  }

  void multiply(const std::vector<double>& coefficients, std::vector<double>& products) const {
    for (std::size_t r = 0; r < rows_; ++r) {
      products[r] = 0;
      for (std::size_t k = 0; k < rows_; ++k) products[r] += gram_[r * rows_ + k] * coefficients[k];
    }
  }

  void move(const Active& pair, double step) {
    update_.alphas[pair.number] += step;
    update_.coefficients[pair.oracle] += step;
    update_.coefficients[pair.other] -= step;
    const double* oracle = gram_.data() + pair.oracle * rows_;
    const double* other = gram_.data() + pair.other * rows_;
    for (std::size_t r = 0; r < rows_; ++r) products_[r] += step * (oracle[r] - other[r]);
  }

  void transfer(const Active* from, const Active* to, double mass, double& rest) {
    if (from == nullptr) {
      rest -= mass;
    } else {
      const double had = update_.alphas[from->number];
      move(*from, -mass);
      if (mass == had) update_.alphas[from->number] = 0;
    }
    if (to == nullptr) rest += mass;
    else move(*to, mass);
  }

  double bound_;
  std::size_t rows_;
  std::vector<double> gram_;
  std::vector<double> products_;  // (w' - w)·h of every row, up to the moved origin
  std::vector<Active> active_;
  LargeMarginUpdate update_;
};

}  // namespace

void FeatureRows::check() const {
  if (dense.size() != size() * dense_columns)
    throw std::invalid_argument("dense features and scores differ in their number of rows");
  check_offsets(sparse_offsets, size(), columns.size(), "sparse features");
  if (columns.size() != values.size())
    throw std::invalid_argument("sparse columns and values differ in number");
  check_finite(dense, "dense features");
  check_finite(scores, "scores");
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
    throw std::invalid_argument("sparse features must be finite numbers");
}

LargeMarginUpdate large_margin_update(const FeatureRows& rows, std::span<const MarginPair> pairs,
                                      const LargeMarginOptions& options) {
  for (const MarginPair& pair : pairs) {
    if (pair.oracle >= rows.size() || pair.other >= rows.size())
      throw std::invalid_argument("a pair names a row that does not exist");
    if (!std::isfinite(pair.loss)) throw std::invalid_argument("losses must be finite numbers");
  }
  Dual dual(rows, pairs, options);
  if (options.slack_per_pair) dual.ascend_boxed(options);
  else dual.ascend_shared(options);
  return dual.finish(options.slack_per_pair);
}

}  // namespace isogloss::learn
