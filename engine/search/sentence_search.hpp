#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/beam_memory.hpp"
#include "search/collector.hpp"
#include "search/features.hpp"
#include "search/kbest.hpp"
#include "search/matches.hpp"

namespace isogloss::search {

/// Limits and modes of a search.
struct SearchOptions {
  CollectorLimits collector;
  MatchLimits matches;
  BeamOptions beam;
  bool blocks_grow = true;  ///< orientation is toward the largest blocks, otherwise toward the last phrase alone
};

/// What is shared by all sentences and threads. Everything behind the references must outlive it.
struct SearchModel {
  const RuleTable& table;
  const lm::Model& language_model;
  std::span<const WordId> lm_words;  ///< the language model's number of each target word of the table
  const features::SparseModel* sparse = nullptr;  ///< nullptr without sparse features
  const RuleTable* overlay = nullptr;    ///< a second table; it numbers words as the first does
  const LexiconView* lexicon = nullptr;  ///< of the rule table; nullptr if it has none
  const neural::JointModel* joint = nullptr;  ///< nullptr without one
  std::span<const std::uint32_t> joint_words{};  ///< its number of each target word of the table

  RuleTables tables() const { return {table, overlay}; }
};

/// What a thread keeps between searches.
struct SearchMemory {
  CollectorMemory rules;
  BeamMemory beam;
};

/// One step of a derivation, for people and features.
struct Step {
  const Match& match;
  const Option& option;
  std::uint32_t number;   ///< of the option
  unsigned distortion;    ///< in words
  Orientation orientation;  ///< toward what was translated before
  Orientation next;         ///< of the step before toward this one
  features::SparseStep sparse;
};

/// The search of one sentence with all that it kept.
class SentenceSearch final : features::OptionFacts {
 public:
  /// Searches. `words` are the source's words by the numbers that its arcs call tokens; `sparse` the weights of sparse
  /// features. Both matter only where the model has sparse features, the words also where it has a joint model. `constraint`, if any, is what is wanted besides or
  /// instead of what the model likes. `memory`, which knows these weights only, `sparse` and `constraint` are needed
  /// during the search only.
  SentenceSearch(const SearchModel& model, const SearchOptions& options, const SearchWeights& weights, Source source,
                 SearchMemory& memory, std::span<const std::string> words = {},
                 const features::SparseWeights* sparse = nullptr, Constraint* constraint = nullptr);
  SentenceSearch(const SentenceSearch&) = delete;  // its parts refer to each other
  SentenceSearch& operator=(const SentenceSearch&) = delete;

  const SearchModel& model() const { return model_; }
  const Source& source() const { return source_; }
  const Options& options() const { return rules_; }
  const Graph& graph() const { return graph_; }
  const BeamStatistics& statistics() const { return statistics_; }

  /// Calls `visit(step)` for each step of a path.
  template <class Visit>
  void for_each_step(const Path& path, Visit&& visit) const;

  /// Target words of a path, `kSourceWord + token` for passed-through ones.
  void words(const Path& path, std::vector<WordId>& out) const;

  /// Dense features of a path, in the order of `layout`.
  void features(const Path& path, const FeatureLayout& layout, std::span<double> out) const;

  /// The steps of a path as sparse features see them, and who knows their features; nullptr without any.
  void sparse_steps(const Path& path, std::vector<features::SparseStep>& out) const;
  features::SparseScorer* sparse() { return sparse_.get(); }

 private:
  unsigned most_skipped() const;
  double joint_log_prob(const Path& path) const;
  features::RuleFacts facts_of_option(std::uint32_t option) override;

  SearchModel model_;
  SearchOptions limits_;
  Source source_;
  bool with_orientation_, with_sides_ = false;  // what of a coverage is scored
  std::optional<JointSource> joint_source_;
  Options rules_;
  std::optional<Estimates> estimates_;
  std::optional<Matches> matches_;
  std::optional<Coverages> coverages_;
  std::unique_ptr<features::SparseScorer> sparse_;
  RuleFactsReader reader_;
  std::vector<WordId> symbols_;  // scratch of the reader
  BeamStatistics statistics_;
  Graph graph_;
};

template <class Visit>
void SentenceSearch::for_each_step(const Path& path, Visit&& visit) const {
  Place own = kNowhere;  // of the step before
  for (std::uint32_t number : path.arcs) {
    const Arc& arc = graph_.arcs[number];
    if (arc.match == kNone) continue;
    const Match& match = matches_->match(arc.match);
    const Coverage& coverage = (*coverages_)[graph_.nodes[arc.from].coverage];
    const Orientation orientation =
        with_orientation_ ? coverages_->orientation(coverage.blocks, match.block()) : Orientation::monotone;
    const Orientation next =
        with_orientation_ ? coverages_->next_orientation(coverage, own, match.block()) : orientation;
    own = coverages_->own(match);
    const Side side = with_sides_ ? coverage.side(match.first, match.last) : Side::kRight;
    const std::uint32_t parent = limits_.matches.hierarchical ? coverages_->open_spans(coverage.open_spans).parent : 0;
    visit(Step{match, rules_.options[arc.option], arc.option, source_.distortion(coverage.last, match.first),
               orientation, next,
               {arc.option, parent, orientation, source_.signed_distortion(coverage.last, match.first),
                static_cast<std::uint8_t>(side)}});
  }
}

}  // namespace isogloss::search
