#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/word.hpp"
#include "grammar/run_sorter.hpp"

namespace isogloss::grammar {

/// What a target side tells each of its rules.
struct TargetFacts {
  std::uint32_t phrase = 0;        ///< number of the target phrase, in order of the words' numbers
  std::uint32_t sources = 0;       ///< how many source sides the target side has
  double count = 0;                ///< sum of the rules' counts
  double source_given_target = 0;  ///< probability, as the caller's estimate made it

  void add(const TargetFacts&) {}
};

/// What a rule tells its target side.
struct TargetShare {
  std::uint64_t count = 0;
  std::uint32_t seen = 0;
  std::uint32_t siblings = 0;  ///< rules of the same source side

  void add(const TargetShare&) {}
};

/// A rule waiting for what its target side has to say.
struct StagedRule {
  std::span<const std::uint8_t> target;  ///< as codes, the shape last
  std::span<const std::uint8_t> links;   ///< (target, source symbol) bytes
  std::span<const std::uint8_t> values;  ///< the caller's own
  TargetFacts facts;
};

/// Rules between their two orders. They come in by source side; they are sorted by target side, where
/// phrases get their numbers and the caller's estimate sees all rules of a target side together; and they
/// come out again in the order they came in, each with what its target side said. Memory is bounded
/// whatever their number, but for the rules of one side.
class RuleStage {
 public:
  /// `value_size` bytes of the caller's own go with every rule.
  RuleStage(ScratchSpace& scratch, std::size_t memory, std::size_t value_size);

  // 1. In order of source sides:
  void add_side(std::span<const std::uint8_t> source, std::uint32_t rules);
  void add_rule(std::span<const std::uint8_t> target, std::span<const std::uint8_t> links, const void* values,
                const TargetShare& share);
  std::uint64_t rules() const { return rules_; }

  // 2. By target side, at most about `limit` rules in one call. `estimate(shares, facts)` is called once for
  // each target side and fills `source_given_target`. False when there are no more.
  void begin_targets();
  template <class Estimate>
  bool resolve(std::size_t limit, Estimate&& estimate);
  bool more_targets() const { return more_targets_; }

  /// Phrases numbered since the last call: words consecutively, and where each phrase ends, counted
  /// from the first word of all.
  struct Phrases {
    Buffer<WordId> words;
    Buffer<std::uint32_t> ends;
  };
  Phrases take_phrases() { return std::exchange(phrases_, {}); }
  std::uint64_t phrases() const { return phrase_count_; }

  // 3. In order of source sides again. Views are valid until the next call. False when there are no more.
  void begin_sides();
  bool next_side(std::span<const std::uint8_t>& source, std::vector<StagedRule>& rules);

 private:
  struct SideHead {
    std::uint32_t rules;
    std::uint16_t source_size;
  };
  struct RuleHead {
    std::uint16_t target_size, links_size;
  };

  void number_phrase(std::span<const std::uint8_t> target);
  void end_target(std::span<TargetFacts> facts);

  std::size_t value_size_;
  std::uint64_t rules_ = 0;
  ScratchFile file_;
  std::vector<std::uint8_t> key_;

  RunSorter<TargetShare, TargetShare> by_target_;
  std::optional<RunMerger<TargetShare>> targets_;
  bool more_targets_ = false;
  std::vector<TargetShare> shares_;
  std::vector<std::uint32_t> members_;
  std::vector<TargetFacts> facts_;
  std::vector<std::uint8_t> group_, phrase_;
  Phrases phrases_;
  std::uint64_t phrase_count_ = 0, phrase_words_ = 0;

  RunSorter<TargetFacts, TargetFacts> by_rule_;
  std::optional<RunMerger<TargetFacts>> resolved_;
  std::optional<ScratchReader> reader_;
  std::vector<std::uint8_t> side_;
  std::vector<RuleHead> heads_;
};

template <class Estimate>
bool RuleStage::resolve(std::size_t limit, Estimate&& estimate) {
  constexpr std::size_t kRuleBytes = 4;
  for (std::size_t done = 0; more_targets_ && done < limit;) {
    const std::span<const std::uint8_t> first = targets_->key();
    group_.assign(first.begin(), first.end() - kRuleBytes);
    shares_.clear();
    members_.clear();
    do {
      const std::span<const std::uint8_t> key = targets_->key();
      const std::span<const std::uint8_t> target = key.first(key.size() - kRuleBytes);
      if (sorting::compare(target, group_) != 0) break;
      shares_.push_back(targets_->sum());
      std::uint32_t rule = 0;
      for (const std::uint8_t byte : key.last(kRuleBytes)) rule = rule << 8 | byte;
      members_.push_back(rule);
      more_targets_ = targets_->next();
    } while (more_targets_);
    number_phrase(group_);
    facts_.assign(shares_.size(), {});
    estimate(std::span<const TargetShare>(shares_), std::span<TargetFacts>(facts_));
    end_target(facts_);
    done += shares_.size();
  }
  return more_targets_;
}

}  // namespace isogloss::grammar
