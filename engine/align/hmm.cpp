#include "align/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isogloss::align {
namespace {

constexpr std::size_t kLanes = 8;

std::size_t bin(std::ptrdiff_t jump) {
  constexpr std::ptrdiff_t reach = kJumpReach;
  return static_cast<std::size_t>(std::clamp(jump, -reach, reach) + reach);
}

// Eight partial sums, so that the compiler may use vector instructions without reordering anything.
template <class Real>
Real dot(const Real* a, const Real* b, std::size_t padded) {
  Real lanes[kLanes] = {};
  for (std::size_t i = 0; i < padded; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

template <class Real>
Real sum(const Real* a, std::size_t padded) {
  Real lanes[kLanes] = {};
  for (std::size_t i = 0; i < padded; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

template <class Real>
void add_scaled(Real* __restrict to, const Real* __restrict from, Real factor, std::size_t padded) {
  for (std::size_t i = 0; i < padded; ++i) to[i] += factor * from[i];
}

}  // namespace

void JumpCounts::add(const JumpCounts& other) {
  for (std::size_t i = 0; i < kJumpWeights; ++i) {
    taken[i] += other.taken[i];
    possible[i] += other.possible[i];
  }
}

JumpWeights improve_jumps(const JumpWeights& weights, const JumpCounts& counts, double prior) {
  const JumpWeights shape = initial_jumps();
  double shape_sum = 0, weight_sum = 0, total = 0;
  for (std::size_t i = 0; i < kJumpWeights; ++i) shape_sum += shape[i], weight_sum += weights[i];
  JumpWeights better{};
  for (std::size_t i = 0; i < kJumpWeights; ++i) {
    const double possible = counts.possible[i] + prior / weight_sum;
    better[i] = possible > 0 ? (counts.taken[i] + prior * shape[i] / shape_sum) / possible : weights[i];
    total += better[i];
  }
  // Never zero: a jump not seen in training may be the only one possible later.
  for (double& weight : better) weight = total > 0 ? std::max(weight / total, 1e-9) : 1.0;
  return better;
}

template <class Real>
JumpTable<Real>::JumpTable(const JumpWeights& weights, double uniform, std::size_t max_length)
    : uniform_(uniform), max_length_(max_length), center_(max_length + 1) {
  const std::size_t size = 2 * center_ + 2 + 2 * kLanes;
  weights_.resize(size);
  sums_.resize(size + 1, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    const double weight = weights[bin(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(center_))];
    weights_[i] = static_cast<Real>(weight);
    sums_[i + 1] = sums_[i] + weight;
  }
}

template <class Real>
double ForwardBackward<Real>::run(std::size_t given, std::size_t generated, const Real* emission,
                                  const Real* null_emission, const JumpTable<Real>& jumps) {
  given_ = given, generated_ = generated, stride_ = stride(given);
  share_.assign(stride_, Real(0));
  for (std::size_t k = 0; k <= given; ++k)
    share_[k] = static_cast<Real>((1 - jumps.uniform()) / jumps.normalizer(k, given));
  forward(emission, null_emission, jumps);
  backward(emission, null_emission, jumps);
  double log_likelihood = 0;
  for (const double scale : scale_) log_likelihood += std::log(scale);
  return log_likelihood;
}

// State k: the last partner was position k - 1. After each word the states' probabilities are scaled to sum
// to 1, so the uniform share of a jump has the same probability from everywhere.
template <class Real>
void ForwardBackward<Real>::forward(const Real* emission, const Real* null_emission,
                                    const JumpTable<Real>& jumps) {
  const Real anywhere = static_cast<Real>(jumps.uniform() / static_cast<double>(given_ + 1));
  constexpr Real kTiny = std::numeric_limits<Real>::min() * Real(1e6);
  reached_.assign((generated_ + 1) * stride_, Real(0));
  leaving_.assign((generated_ + 1) * stride_, Real(0));
  arrival_.resize(generated_ * stride_);
  scale_.resize(generated_ + 1);
  reached_[0] = 1;
  for (std::size_t word = 0; word < generated_; ++word) {
    const Real* before = reached_.data() + word * stride_;
    Real* leave = leaving_.data() + word * stride_;
    Real* arrive = arrival_.data() + word * stride_;
    Real* after = reached_.data() + (word + 1) * stride_;
    const Real* emit = emission + word * stride_;
    std::fill(arrive, arrive + stride_, anywhere);
    for (std::size_t k = 0; k <= given_; ++k) {
      leave[k] = before[k] * share_[k];
      if (leave[k] != 0) add_scaled(arrive, jumps.from(k), leave[k], stride_);
    }
    for (std::size_t i = 0; i < given_; ++i) arrive[i] *= emit[i];
    std::fill(arrive + given_, arrive + stride_, Real(0));
    const Real none = null_emission[word];
    double total = static_cast<double>(sum(arrive, stride_) + none * sum(before, stride_));
    if (!(total > 0)) total = static_cast<double>(kTiny);  // an impossible word
    scale_[word] = total;
    const Real factor = static_cast<Real>(1 / total);
    for (std::size_t i = 0; i < given_; ++i) arrive[i] *= factor;
    const Real stay = none * factor;
    after[0] = before[0] * stay < kTiny ? 0 : before[0] * stay;  // would go on shrinking into denormals
    for (std::size_t k = 1; k <= given_; ++k) after[k] = arrive[k - 1] + before[k] * stay;
  }
  const Real* last = reached_.data() + generated_ * stride_;
  Real* leave = leaving_.data() + generated_ * stride_;
  double ended = static_cast<double>(anywhere * sum(last, stride_));
  for (std::size_t k = 0; k <= given_; ++k) {
    leave[k] = last[k] * share_[k];
    ended += static_cast<double>(leave[k] * jumps.from(k)[given_]);
  }
  scale_[generated_] = ended > 0 ? ended : static_cast<double>(kTiny);
}

template <class Real>
void ForwardBackward<Real>::backward(const Real* emission, const Real* null_emission,
                                     const JumpTable<Real>& jumps) {
  const Real anywhere = static_cast<Real>(jumps.uniform() / static_cast<double>(given_ + 1));
  posterior_.resize(generated_ * stride_);
  null_posterior_.resize(generated_);
  taken_.assign(2 * given_ + 2 + 2 * kLanes, Real(0));
  chosen_.assign(stride_, Real(0));
  ahead_.assign(stride_, Real(0));
  next_.assign(stride_, Real(0));
  arriving_.assign(stride_, Real(0));
  const auto end_factor = static_cast<Real>(1 / scale_[generated_]);
  const Real* leave = leaving_.data() + generated_ * stride_;
  for (std::size_t k = 0; k <= given_; ++k) {
    const Real jump = jumps.from(k)[given_] * end_factor;
    ahead_[k] = share_[k] * jump + anywhere * end_factor;
    chosen_[k] += leave[k] * jump;
    taken_[2 * given_ + 1 - k] += leave[k] * end_factor;
  }
  for (std::size_t word = generated_; word-- > 0;) {
    const auto factor = static_cast<Real>(1 / scale_[word]);
    const Real* before = reached_.data() + word * stride_;
    const Real* emit = emission + word * stride_;
    const Real* arrive = arrival_.data() + word * stride_;
    Real* posterior = posterior_.data() + word * stride_;
    leave = leaving_.data() + word * stride_;
    for (std::size_t i = 0; i < given_; ++i) {
      posterior[i] = arrive[i] * ahead_[i + 1];
      arriving_[i] = emit[i] * ahead_[i + 1] * factor;
    }
    const Real stay = null_emission[word] * factor;
    null_posterior_[word] = stay * dot(before, ahead_.data(), stride_);
    const Real anyhow = anywhere * sum(arriving_.data(), stride_);
    for (std::size_t k = 0; k <= given_; ++k) {
      const Real jump = dot(jumps.from(k), arriving_.data(), stride_);
      next_[k] = share_[k] * jump + anyhow + stay * ahead_[k];
      chosen_[k] += leave[k] * jump;
      // Position i is a jump of i - k + 1: widths of successive positions lie side by side.
      if (leave[k] != 0) add_scaled(taken_.data() + given_ + 1 - k, arriving_.data(), leave[k], stride_);
    }
    std::swap(ahead_, next_);
  }
}

template <class Real>
void ForwardBackward<Real>::add_jumps(const JumpTable<Real>& jumps, JumpCounts& counts) const {
  const auto given = static_cast<std::ptrdiff_t>(given_);
  for (std::ptrdiff_t place = 0; place <= 2 * given + 1; ++place) {
    const std::ptrdiff_t width = place - given;  // from -given (never possible) to given + 1
    const Real weight = jumps.from(0)[width - 1];
    counts.taken[bin(width)] += static_cast<double>(taken_[static_cast<std::size_t>(place)] * weight);
  }
  // chosen_ / normalizer is what one state adds to every width possible from it; a running sum over states
  // gives each width's total.
  std::vector<double> begins(2 * given_ + 4, 0.0);
  for (std::size_t k = 0; k <= given_; ++k) {
    const double each = static_cast<double>(chosen_[k]) / jumps.normalizer(k, given_);
    begins[given_ + 1 - k] += each;          // the first possible width, 1 - k
    begins[2 * given_ + 2 - k] -= each;      // one past the last, given + 1 - k
  }
  double running = 0;
  for (std::ptrdiff_t place = 0; place <= 2 * given + 1; ++place) {
    running += begins[static_cast<std::size_t>(place)];
    counts.possible[bin(place - given)] += std::max(running, 0.0);
  }
}

template class JumpTable<float>;
template class JumpTable<double>;
template class ForwardBackward<float>;
template class ForwardBackward<double>;

}  // namespace isogloss::align
