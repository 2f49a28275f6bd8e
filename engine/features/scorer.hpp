#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/interner.hpp"
#include "features/event_pool.hpp"
#include "features/events.hpp"
#include "features/score_memory.hpp"
#include "features/weights.hpp"
#include "templates/aligned.hpp"

namespace isogloss::features {

/// What all sentences share.
struct SparseModel {
  Lexicon lexicon;
  std::vector<ActiveTemplate> templates;
  unsigned needs = 0;  ///< of all templates

  /// Templates that see the same of a step, by their positions: what they add is remembered by that alone.
  struct StepGroup {
    unsigned needs;
    std::vector<std::size_t> templates;
  };
  std::vector<StepGroup> step_groups;

  SparseModel(Lexicon words, std::vector<ActiveTemplate> active);
};

/// Weights under which sentences are scored, and what is remembered between sentences.
struct SparseWeights {
  WeightView view;
  std::uint32_t version;  ///< another one for other weights, never 0
  RuleMemory* rules;
  ThreadScores* thread;
};

/// How often a feature fired.
struct Firing {
  std::uint64_t feature;
  float count;
  std::uint32_t check;  ///< see Expansion::checks
};

/// How often an event of a pool happened.
struct EventCount {
  std::uint32_t event;
  float count;
};

/// One step of a derivation, as the search numbers things.
struct SparseStep {
  std::uint32_t option;
  std::uint32_t parent;
  Orientation orientation;
  int distortion;
  std::uint8_t side;
};

/// Tells what sparse features see of the options of a sentence: most are never asked for.
class OptionFacts {
 public:
  virtual ~OptionFacts() = default;
  /// Valid until the next call.
  virtual RuleFacts facts_of_option(std::uint32_t option) = 0;
};

/// The sparse features of one sentence: the search asks it for scores while it goes and afterward for the features
/// of the derivations it wants to see. States and parents are small numbers; equal ones have equal numbers. Options
/// without target words have no features and change nothing.
class SparseScorer {
 public:
  explicit SparseScorer(const SparseModel& model);

  const SparseModel& model() const { return model_; }
  bool needs(unsigned what) const { return (model_.needs & what) != 0; }

  /// Before anything else: the words of the sentence and their numbers in the source vocabulary or kNoWord.
  void set_sentence(std::span<const std::string> words, std::span<const WordId> numbers);

  /// A word of the sentence by its position in it, as itself and as a target word.
  TokenId token(std::size_t position) const { return sentence_[position]; }
  TokenId token_as_target(std::size_t position) { return tokens_.add(tokens_.text(sentence_[position]), true); }

  /// A target word that is in no vocabulary.
  TokenId target_token(std::string_view word) { return tokens_.add(word, true); }

  /// The weights to score with, or nullptr when only features are wanted. Scores of steps are kept from this call to
  /// the next in the memory that comes with the weights, which no other scorer may use meanwhile.
  void use(const SparseWeights* weights) {
    weights_ = weights;
    if (weights_ != nullptr && weights_->thread != nullptr) weights_->thread->begin_sentence();
  }

  /// Score of a rule in whatever sentence. `number` is its number in the table, kNoRule without one; what is known
  /// of the rule is asked for, as `facts()`, only where its score is not remembered.
  static constexpr std::uint32_t kNoRule = 0xffffffffu;
  template <class Facts>
  float rule_score(std::uint32_t number, Facts&& facts) {
    if (weights_ == nullptr || weights_->view.empty()) return 0.0f;
    float score;
    const bool in_table = number != kNoRule && weights_->rules != nullptr;
    if (in_table && weights_->rules->find(number, weights_->version, score)) return score;
    score = rule_sum(facts());
    if (in_table) weights_->rules->keep(number, weights_->version, score);
    return score;
  }

  /// What a target word without a link adds to the score of a rule in this sentence.
  float unaligned_score(TokenId target);

  /// Makes the rule the next option of the sentence.
  void add_option(const RuleFacts& rule);
  /// The next options of the sentence are those that `facts` knows by their numbers; it must outlive this.
  void add_options(std::size_t count, OptionFacts& facts) {
    options_.resize(options_.size() + count);
    later_ = &facts;
  }

  /// The aligned source words of an option, as what it leaves open remembers them; 0 for none.
  std::uint32_t parent_of(std::uint32_t option) { return stored(option).parent; }

  std::uint32_t start() const { return 0; }
  float step_score(const SparseStep& step);
  /// What stands between a state and the option that follows it adds, and the state behind the option.
  Crossing cross(std::uint32_t state, std::uint32_t option);
  float end_score(std::uint32_t state);

  /// The features of a derivation by ascending id, each once; different ones with the same number stand side by side.
  void features(std::span<const SparseStep> derivation, std::vector<Firing>& out);

  /// The features that some options have wherever they stand, of some of the templates (by their positions).
  void rule_features(std::span<const std::uint32_t> options, std::span<const std::size_t> templates,
                     std::vector<Firing>& out);

  /// The events of a derivation by their numbers in a pool, which rise, each once. `meet(features, checks)` is called
  /// for every event that is new to the pool.
  template <class Meet>
  void events(std::span<const SparseStep> derivation, EventPool& pool, std::vector<EventCount>& out, Meet&& meet);

  /// Calls `visit(feature, check, name maker)` for the features of all events of a derivation that were not `seen`
  /// before, and from then on are.
  using Seen = std::unordered_set<std::uint64_t>;
  template <class Visit>
  void for_each_named(std::span<const SparseStep> derivation, Seen& seen, Visit&& visit);
  /// The same for options wherever they stand.
  template <class Visit>
  void for_each_rule_named(std::span<const std::uint32_t> options, std::span<const std::size_t> templates, Seen& seen,
                           Visit&& visit);

 private:
  struct StoredOption {
    std::uint32_t source_begin, target_begin, links_begin;
    std::uint16_t source_count, target_count, link_count;
    std::uint8_t gaps;
    bool swapped, known;
    std::uint32_t parent;
  };
  struct Words {  // a parent: a range of `parent_tokens_`
    std::uint32_t begin, count;
  };

  template <class Fire>
  class Sink final : public EventSink {
   public:
    Sink(const SentenceTokens& tokens, Fire fire) : tokens_(tokens), fire_(std::move(fire)) {}
    void fire(std::span<const Position> positions) override { fire_(positions); }
    std::string_view text(TokenId token) const override { return tokens_.text(token); }

   private:
    const SentenceTokens& tokens_;
    Fire fire_;
  };

  struct Border {
    Before before;
    RuleFacts last;
    const RuleFacts* last_or_null() const { return before.rule != kNoRule ? &last : nullptr; }
  };

  static RuleFacts sentence_end();
  const StoredOption& stored(std::uint32_t option) {
    if (!options_[option].known) options_[option] = store(later_->facts_of_option(option));
    return options_[option];
  }
  StoredOption store(const RuleFacts& rule);
  RuleFacts facts(std::uint32_t option);
  Border border_of(std::uint32_t state);
  float rule_sum(const RuleFacts& rule);
  float grouped_step_score(const SparseStep& step);
  float step_sum(const SparseModel::StepGroup& group, const SparseStep& step);
  float border_sum(std::uint32_t state, const RuleFacts& rule);
  std::uint32_t after(std::uint32_t state, std::uint32_t option);
  std::span<const TokenId> parent_tokens(std::uint32_t parent) const {
    return {parent_tokens_.data() + parents_[parent].begin, parents_[parent].count};
  }
  std::uint32_t intern_parent(const RuleFacts& rule);
  void begin_event(const ActiveTemplate& active, std::span<const Position> positions);
  void ask_for_weights(const ActiveTemplate& active, std::span<const Position> positions, std::uint64_t key,
                       std::size_t event);
  void begin_sum();
  float end_sum();
  template <class Call>
  float sum(Call&& call);
  static void add_up(std::vector<Firing>& firings);
  static void add_up(std::vector<EventCount>& events);
  template <class Visit>
  void name_event(const ActiveTemplate& active, std::span<const Position> positions, Seen& seen, Visit&& visit);
  template <class Fire>
  void fire_rules(std::span<const std::uint32_t> options, std::span<const std::size_t> templates, Fire&& fire);
  template <class Fire>
  void fire_derivation(std::span<const SparseStep> derivation, Fire&& fire);

  const SparseModel& model_;
  SentenceTokens tokens_;
  Expansion expansion_;
  const SparseWeights* weights_ = nullptr;
  std::vector<TokenId> sentence_;
  std::vector<StoredOption> options_;
  OptionFacts* later_ = nullptr;  // of the options that are not known yet
  std::vector<TokenId> option_tokens_, parent_tokens_, scratch_;
  std::vector<Link> option_links_;
  std::vector<Words> parents_;
  std::unordered_map<std::uint64_t, std::uint32_t> parent_numbers_;  // by the hash of their words
  Interner<Before> states_;

  // Scratch of `sum`: events of words alone, whose memory is on its way; the scores of all events in their order; and
  // those whose weights are on their way.
  struct WordEvent {
    const ActiveTemplate* active;
    std::uint64_t key;
    std::array<TokenId, 4> words;
    std::uint32_t count, event;
  };
  std::vector<WordEvent> word_events_;
  struct Pending {
    std::uint64_t key;
    std::size_t event, features_end;
  };
  std::vector<float> event_scores_;
  std::vector<Pending> pending_;
  std::vector<std::uint64_t> pending_features_;
};

template <class Fire>
void SparseScorer::fire_derivation(std::span<const SparseStep> derivation, Fire&& fire) {
  std::uint32_t state = start();
  const auto border = [&](const RuleFacts& rule) {
    const Border at = border_of(state);
    for (const ActiveTemplate& active : model_.templates) {
      Sink sink(tokens_, [&](std::span<const Position> positions) { fire(active, positions); });
      active.events->at_border(at.before, at.last_or_null(), rule, sink);
    }
  };
  for (const SparseStep& step : derivation) {
    const RuleFacts rule = facts(step.option);
    if (rule.target.empty()) continue;
    border(rule);
    for (const ActiveTemplate& active : model_.templates) {
      Sink sink(tokens_, [&](std::span<const Position> positions) { fire(active, positions); });
      active.events->in_rule(rule, sink);
      for_each_unaligned(rule, [&](TokenId target) { active.events->unaligned(target, sentence_, sink); });
      active.events->in_step({rule, step.orientation, step.distortion, step.side, parent_tokens(step.parent)}, sink);
    }
    state = after(state, step.option);
  }
  border(sentence_end());
}

template <class Fire>
void SparseScorer::fire_rules(std::span<const std::uint32_t> options, std::span<const std::size_t> templates,
                              Fire&& fire) {
  for (std::uint32_t option : options) {
    const RuleFacts rule = facts(option);
    for (std::size_t number : templates) {
      const ActiveTemplate& active = model_.templates[number];
      Sink sink(tokens_, [&](std::span<const Position> positions) { fire(active, positions); });
      active.events->in_rule(rule, sink);
    }
  }
}

template <class Meet>
void SparseScorer::events(std::span<const SparseStep> derivation, EventPool& pool, std::vector<EventCount>& out,
                          Meet&& meet) {
  out.clear();
  fire_derivation(derivation, [&](const ActiveTemplate& active, std::span<const Position> positions) {
    const std::uint32_t event = pool.number(expansion_.exact_key(active, positions), [&] {
      const auto features = expansion_.features(active, positions);
      meet(features, expansion_.checks(active, positions));
      return features;
    });
    out.push_back({event, 1.0f});
  });
  add_up(out);
}

template <class Visit>
void SparseScorer::name_event(const ActiveTemplate& active, std::span<const Position> positions, Seen& seen,
                              Visit&& visit) {
  if (!seen.insert(expansion_.exact_key(active, positions)).second) return;
  const auto features = expansion_.features(active, positions);
  const auto checks = expansion_.checks(active, positions);
  for (std::size_t i = 0; i < features.size(); ++i)
    visit(features[i], checks[i], [&] { return expansion_.name(active, positions, i); });
}

template <class Visit>
void SparseScorer::for_each_named(std::span<const SparseStep> derivation, Seen& seen, Visit&& visit) {
  fire_derivation(derivation, [&](const ActiveTemplate& active, std::span<const Position> positions) {
    name_event(active, positions, seen, visit);
  });
}

template <class Visit>
void SparseScorer::for_each_rule_named(std::span<const std::uint32_t> options,
                                       std::span<const std::size_t> templates, Seen& seen, Visit&& visit) {
  fire_rules(options, templates, [&](const ActiveTemplate& active, std::span<const Position> positions) {
    name_event(active, positions, seen, visit);
  });
}

}  // namespace isogloss::features
