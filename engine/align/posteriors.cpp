#include "align/posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "align/position_prior.hpp"

namespace isogloss::align {

void PositionCounts::add(const PositionCounts& other) {
  jumps.add(other.jumps);
  distance += other.distance;
  log_likelihood += other.log_likelihood;
}

void DirectionPosteriors::resize(std::size_t given, std::size_t generated) {
  given_ = given, generated_ = generated, stride_ = ForwardBackward<float>::stride(given);
  emission_.resize(generated * stride_);
  null_emission_.resize(generated);
}

void DirectionPosteriors::run(AlignmentModelType type, double tension, const JumpTable<float>& jumps,
                              PositionCounts* counts) {
  chained_ = type == AlignmentModelType::kHmm;
  double log_likelihood = 0;
  if (chained_) {
    log_likelihood = chain_.run(given_, generated_, emission_.data(), null_emission_.data(), jumps);
    if (counts != nullptr) chain_.add_jumps(jumps, counts->jumps);
  } else {
    log_likelihood = run_independent(type == AlignmentModelType::kFast ? tension : 0.0, counts);
  }
  if (counts != nullptr) counts->log_likelihood += log_likelihood;
}

double DirectionPosteriors::run_independent(double tension, PositionCounts* counts) {
  posterior_.resize(generated_ * stride_);
  null_posterior_.resize(generated_);
  prior_.resize(given_);
  double log_likelihood = 0;
  for (std::size_t word = 0; word < generated_; ++word) {
    position_prior<float>(word + 1, generated_, tension, 1.0, prior_);
    const float* emit = emission(word);
    float* posterior = posterior_.data() + word * stride_;
    double total = static_cast<double>(null_emission_[word]);
    for (std::size_t i = 0; i < given_; ++i) {
      posterior[i] = prior_[i] * emit[i];
      total += static_cast<double>(posterior[i]);
    }
    if (!(total > 0)) total = static_cast<double>(std::numeric_limits<float>::min());
    log_likelihood += std::log(total);
    const float factor = static_cast<float>(1 / total);
    for (std::size_t i = 0; i < given_; ++i) posterior[i] *= factor;
    null_posterior_[word] = null_emission_[word] * factor;
    if (counts == nullptr || tension == 0) continue;
    const double here = static_cast<double>(word + 1) / static_cast<double>(generated_);
    for (std::size_t i = 0; i < given_; ++i)
      counts->distance += static_cast<double>(posterior[i]) *
                          std::abs(static_cast<double>(i + 1) / static_cast<double>(given_) - here);
  }
  return log_likelihood;
}

std::span<const float> DirectionPosteriors::posterior(std::size_t word) const {
  if (chained_) return chain_.posterior(word);
  return {posterior_.data() + word * stride_, given_};
}

float DirectionPosteriors::null_posterior(std::size_t word) const {
  return chained_ ? chain_.null_posterior(word) : null_posterior_[word];
}

void PairPosteriors::use(const AlignmentParameters& parameters) {
  partner_ = static_cast<float>(1 - parameters.null_probability);
  none_ = static_cast<float>(parameters.null_probability);
}

void PairPosteriors::resize(std::size_t source_words, std::size_t target_words) {
  directions_[0].resize(source_words, target_words);
  directions_[1].resize(target_words, source_words);
}

void PairPosteriors::run(const AlignmentParameters& parameters, const JumpTables& jumps,
                         PositionCounts* counts) {
  for (std::size_t d = 0; d < 2; ++d)
    directions_[d].run(parameters.type, parameters.directions[d].tension, jumps.tables[d],
                       counts == nullptr ? nullptr : counts + d);
}

}  // namespace isogloss::align
