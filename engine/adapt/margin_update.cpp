#include "adapt/margin_update.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::adapt {
namespace {

constexpr std::size_t kInnerSweeps = 20;  // over candidates in use, between two passes over all of them

void check(const CandidateLists& lists, std::span<const double> gains, std::span<const double> strengths,
           std::span<const double> baseline) {
  if (gains.size() != lists.rows()) throw std::invalid_argument("one gain for each candidate is expected");
  if (strengths.size() != lists.examples()) throw std::invalid_argument("one strength for each example is expected");
  if (baseline.size() != lists.features()) throw std::invalid_argument("one weight for each feature is expected");
  for (double strength : strengths)
    if (!(strength >= 0)) throw std::invalid_argument("a strength must be at least 0");
}

std::size_t oracle_of(const CandidateLists& lists, std::span<const double> gains, std::size_t example) {
  const auto begin = gains.begin() + lists.offsets[example], end = gains.begin() + lists.offsets[example + 1];
  return static_cast<std::size_t>(std::max_element(begin, end) - gains.begin());
}

/// The dual: every example distributes its strength over its candidates, at first all of it on the oracle.
class Solver {
 public:
  Solver(const CandidateLists& lists, std::span<const double> gains, std::span<const double> strengths,
         std::span<const double> baseline)
      : lists_(lists), gains_(gains), strengths_(strengths), weights_(baseline.begin(), baseline.end()),
        change_(baseline.size(), 0.0), shares_(lists.rows(), 0.0), support_(lists.examples()) {
    for (std::size_t j = 0; j < lists.examples(); ++j) {
      const std::size_t oracle = oracle_of(lists, gains, j);
      shares_[oracle] = strengths[j];
      support_[j].push_back(oracle);
    }
  }

  /// Looks at all candidates of all examples and gives the duality gap. If it may, it moves where that helps as
  /// it goes along, and the gap is only about right.
  double pass(bool may_move) {
    double gap = 0;
    for (std::size_t j = 0; j < lists_.examples(); ++j) {
      if (strengths_[j] == 0) continue;
      const auto begin = static_cast<std::size_t>(lists_.offsets[j]), end = static_cast<std::size_t>(lists_.offsets[j + 1]);
      std::size_t best = begin;
      double best_slope = slope(begin);
      for (std::size_t row = begin + 1; row < end; ++row) {
        const double value = slope(row);
        if (value > best_slope) best = row, best_slope = value;
      }
      gap += move_toward(j, best, best_slope, may_move);
    }
    return gap;
  }

  /// The same, but looks only at candidates that have a share.
  double sweep() {
    double gap = 0;
    for (std::size_t j = 0; j < lists_.examples(); ++j) {
      if (support_[j].size() < 2) continue;
      std::size_t best = support_[j].front();
      double best_slope = slope(best);
      for (std::size_t row : support_[j]) {
        const double value = slope(row);
        if (value > best_slope) best = row, best_slope = value;
      }
      gap += move_toward(j, best, best_slope, true);
    }
    return gap;
  }

  std::vector<double>& change() { return change_; }

 private:
  /// How fast the dual rises with the candidate's share, up to what all candidates of an example have in common.
  double slope(std::size_t row) const { return lists_.dot(row, weights_.data()) - gains_[row]; }

  double move_toward(std::size_t example, std::size_t best, double best_slope, bool may_move) {
    std::vector<std::size_t>& support = support_[example];
    std::size_t worst = best;
    double worst_slope = best_slope, gap = 0;
    for (std::size_t row : support) {
      const double value = slope(row);
      gap += shares_[row] * (best_slope - value);
      if (value < worst_slope) worst = row, worst_slope = value;
    }
    if (worst == best || !may_move) return gap;
    const double square = lists_.distance(best, worst), wanted = best_slope - worst_slope;
    const double step = square > 0 ? std::min(shares_[worst], wanted / square) : shares_[worst];
    if (shares_[best] == 0) support.push_back(best);
    shares_[best] += step;
    shares_[worst] = step < shares_[worst] ? shares_[worst] - step : 0.0;
    if (shares_[worst] == 0) support.erase(std::find(support.begin(), support.end(), worst));
    for (double* into : {weights_.data(), change_.data()}) {
      lists_.add(best, -step, into);
      lists_.add(worst, step, into);
    }
    return gap;
  }

  const CandidateLists& lists_;
  std::span<const double> gains_, strengths_;
  std::vector<double> weights_, change_, shares_;
  std::vector<std::vector<std::size_t>> support_;  // candidates with a share, by example
};

}  // namespace

MarginResult margin_update(const CandidateLists& lists, std::span<const double> gains,
                           std::span<const double> strengths, std::span<const double> baseline,
                           const MarginOptions& options) {
  lists.check();
  check(lists, gains, strengths, baseline);
  Solver solver(lists, gains, strengths, baseline);
  MarginResult result{};
  for (; result.passes < options.max_passes; ++result.passes) {
    if (solver.pass(true) <= options.tolerance && solver.pass(false) <= options.tolerance) break;
    for (std::size_t i = 0; i < kInnerSweeps && solver.sweep() > options.tolerance / 2; ++i) {
    }
  }
  result.gap = solver.pass(false);
  result.change = std::move(solver.change());
  result.objective = margin_objective(lists, gains, strengths, baseline, result.change);
  return result;
}

double margin_objective(const CandidateLists& lists, std::span<const double> gains, std::span<const double> strengths,
                        std::span<const double> baseline, std::span<const double> change) {
  lists.check();
  check(lists, gains, strengths, baseline);
  if (change.size() != baseline.size()) throw std::invalid_argument("one change for each feature is expected");
  double objective = 0;
  std::vector<double> weights(baseline.begin(), baseline.end());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += change[i];
    objective += change[i] * change[i] / 2;
  }
  for (std::size_t j = 0; j < lists.examples(); ++j) {
    if (strengths[j] == 0) continue;
    const std::size_t oracle = oracle_of(lists, gains, j);
    const double correct = lists.dot(oracle, weights.data());
    double worst = 0;
    for (auto row = lists.offsets[j]; row < lists.offsets[j + 1]; ++row) {
      const auto n = static_cast<std::size_t>(row);
      worst = std::max(worst, gains[oracle] - gains[n] - correct + lists.dot(n, weights.data()));
    }
    objective += strengths[j] * worst;
  }
  return objective;
}

}  // namespace isogloss::adapt
