#include "learn/relevant_set.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"

namespace isogloss::learn {

RelevantSet::RelevantSet(std::size_t sentences, std::size_t truths, std::size_t real_columns, std::uint32_t min_count)
    : truths_(truths), rows_(real_columns, min_count), sets_(sentences) {
  if (truths == 0) throw std::invalid_argument("there must be at least one truth");
  weights_.grow(rows_.columns());
}

RelevantSet::Role RelevantSet::add(std::size_t sentence, const SequenceFeatures& sequence, double quality,
                                   bool as_truth) {
  SequenceRows::check(sequence, rows_.real_columns());
  Set& set = sets_.at(sentence);
  const std::uint64_t hash = SequenceRows::hash(sequence);
  const auto same = [&](const Member& member) { return member.hash == hash; };
  if (std::ranges::any_of(set.truths, same) || std::ranges::any_of(set.alternatives, same)) return Role::kKnown;
  const Member member{static_cast<std::uint32_t>(rows_.add(sequence)), quality, hash};
  weights_.grow(rows_.columns());
  if (set.truths.size() < truths_ && as_truth) {
    set.truths.push_back(member);
    return Role::kTruth;
  }
  const auto worst = std::ranges::min_element(set.truths, {}, &Member::quality);
  if (worst == set.truths.end() || quality <= worst->quality) {
    set.alternatives.push_back(member);
    return Role::kAlternative;
  }
  set.alternatives.push_back(*worst);
  *worst = member;
  return Role::kTruth;
}

RelevantSet::Costly RelevantSet::most_costly(const Set& set, const Member& truth, double truth_score,
                                             std::span<const double> scores) {
  Costly found;
  for (std::size_t i = 0; i < set.alternatives.size(); ++i) {
    const double difference = truth.quality - set.alternatives[i].quality, margin = truth_score - scores[i];
    const double cost = cost_margin(difference, margin);
    if (cost > found.cost) found = {cost, difference, margin, i};
  }
  return found;
}

void RelevantSet::step(const Set& set, const SgdOptions& options, double steps_per_pass, std::vector<double>& scores,
                       SgdPass& pass) {
  bool stale = true;
  scores.resize(set.alternatives.size());
  for (const Member& truth : set.truths) {
    const double rate =
        options.learning_rate / (1 + options.decay * static_cast<double>(steps_) / steps_per_pass);
    if (stale)
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = score(set.alternatives[i].row);
    const Costly worst = most_costly(set, truth, score(truth.row), scores);
    const double factor = 1 - 2 * rate * options.regularization;
    stale = worst.cost > 0;
    if (factor != 1) {
      weights_.shrink(factor);
      for (double& value : scores) value *= factor;
    }
    if (worst.cost > 0) {
      const double change = rate * worst.difference * (1 - worst.margin);
      const auto add = [&](const SequenceRows::Row& row, double by) {
        for (std::size_t i = 0; i < row.columns.size(); ++i)
          if (rows_.active(row.columns[i])) weights_.add(row.columns[i], by * static_cast<double>(row.values[i]));
      };
      add(rows_.row(truth.row), change);
      add(rows_.row(set.alternatives[worst.alternative].row), -change);
      pass.loss += worst.cost;
      ++pass.updates;
    }
    ++steps_;
    ++pass.steps;
    weights_.next_step();
  }
}

void RelevantSet::restart(std::span<const double> weights) {
  if (weights.size() != rows_.columns()) throw std::invalid_argument("a weight for each column is expected");
  weights_.restart(weights);
  steps_ = 0;
}

SgdPass RelevantSet::sweep(std::span<const std::uint32_t> order, const SgdOptions& options) {
  if (!(options.learning_rate > 0) || !(options.decay >= 0) || !(options.regularization >= 0) ||
      2 * options.learning_rate * options.regularization >= 1)
    throw std::invalid_argument("the learning rate or the regularization is out of range");
  double steps_per_pass = 0;
  for (const Set& set : sets_) steps_per_pass += static_cast<double>(set.truths.size());
  SgdPass pass;
  std::vector<double> scores;
  for (std::uint32_t sentence : order) step(sets_.at(sentence), options, std::max(1.0, steps_per_pass), scores, pass);
  return pass;
}

std::vector<std::size_t> RelevantSet::most_costly(std::size_t sentence, std::span<const SequenceFeatures> sequences,
                                                  std::span<const double> qualities) const {
  const Set& set = sets_.at(sentence);
  if (sequences.size() != qualities.size()) throw std::invalid_argument("a quality for each sequence is expected");
  std::vector<double> scores;
  std::vector<bool> known;
  for (const SequenceFeatures& sequence : sequences) {
    SequenceRows::check(sequence, rows_.real_columns());
    double sum = 0;
    for (std::size_t i = 0; i < sequence.real.size(); ++i) sum += weights_[i] * sequence.real[i];
    for (std::size_t i = 0; i < sequence.features.size(); ++i)
      if (const auto column = rows_.find(sequence.features[i]); column != SequenceRows::kNoColumn)
        sum += weights_[column] * static_cast<double>(sequence.counts[i]);
    scores.push_back(sum);
    const std::uint64_t hash = SequenceRows::hash(sequence);
    known.push_back(std::ranges::any_of(set.truths, [&](const Member& truth) { return truth.hash == hash; }));
  }
  std::vector<std::size_t> found;
  for (const Member& truth : set.truths) {
    const double truth_score = score(truth.row);
    double most = 0;
    std::size_t chosen = sequences.size();
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const double cost = cost_margin(truth.quality - qualities[i], truth_score - scores[i]);
      if (!known[i] && cost > most) most = cost, chosen = i;
    }
    if (chosen < sequences.size()) found.push_back(chosen);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<double> RelevantSet::losses(std::size_t threads) const {
  std::vector<double> out(sets_.size(), 0.0);
  parallel_for(sets_.size(), threads, [&](std::size_t sentence, std::size_t) {
    const Set& set = sets_[sentence];
    if (set.truths.empty()) return;
    std::vector<double> scores;
    for (const Member& alternative : set.alternatives) scores.push_back(score(alternative.row));
    for (const Member& truth : set.truths) out[sentence] += most_costly(set, truth, score(truth.row), scores).cost;
    out[sentence] /= static_cast<double>(set.truths.size());
  });
  return out;
}

double RelevantSet::best_quality() const {
  double sum = 0, count = 0;
  for (const Set& set : sets_) {
    if (set.truths.empty()) continue;
    sum += std::ranges::max_element(set.truths, {}, &Member::quality)->quality;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace isogloss::learn
