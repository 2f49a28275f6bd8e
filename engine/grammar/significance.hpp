#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grammar/matcher.hpp"

namespace isogloss::grammar {

/// -log of the probability that two things, found in `a` and `b` of `n` places, are found together in at
/// least `both` of them by chance (Fisher's exact test, one-sided). `log_factorials` holds those of 0 to n.
double fisher_significance(std::uint64_t both, std::uint64_t a, std::uint64_t b, std::uint64_t n,
                           std::span<const double> log_factorials);

/// The logarithms of 0! to n!.
std::vector<double> log_factorials(std::uint64_t n);

/// In how many sentence pairs the sides of a table's rules occur, whether aligned or not, and how
/// significant that makes each rule (Johnson et al. 2007). A source side with gaps occurs where it matches
/// within `max_span` words; a target side occurs where its phrase stands with at least as many words behind
/// it as it has gaps.
class CoOccurrence {
 public:
  /// Pairs with more than `max_sentence_length` words on a side do not count.
  CoOccurrence(const RuleTable& table, unsigned max_span, unsigned max_sentence_length, unsigned threads);
  ~CoOccurrence();

  /// Counts sentence pairs; offsets are one more than pairs.
  void add(std::span<const WordId> source, std::span<const std::int64_t> source_offsets,
           std::span<const WordId> target, std::span<const std::int64_t> target_offsets);

  std::uint64_t pairs() const { return pairs_; }

  /// For every rule -log p of its co-occurrences.
  std::vector<double> significance() const;

 private:
  class Worker;
  class PhraseIndex;

  const RuleTable* table_;
  unsigned max_span_, max_sentence_length_;
  std::uint64_t pairs_ = 0;
  std::unique_ptr<PhraseIndex> index_;
  std::vector<std::uint32_t> of_node_, of_target_, of_rule_;  // of_target_: three for each phrase, by gaps
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace isogloss::grammar
