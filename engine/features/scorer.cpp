#include "features/scorer.hpp"

#include <algorithm>

namespace isogloss::features {

SparseModel::SparseModel(Lexicon words, std::vector<ActiveTemplate> active)
    : lexicon(std::move(words)), templates(std::move(active)) {
  constexpr unsigned of_step = Template::kParent | Template::kOrientation | Template::kDistortion | Template::kSide;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    ActiveTemplate& one = templates[i];
    needs |= one.events->needs();
    one.tag = begin_feature(one.events->name());
    const unsigned seen = one.events->needs() & of_step;
    if (seen == 0) continue;
    const auto known = std::ranges::find(step_groups, seen, &StepGroup::needs);
    (known != step_groups.end() ? *known : step_groups.emplace_back(StepGroup{seen, {}})).templates.push_back(i);
  }
}

SparseScorer::SparseScorer(const SparseModel& model) : model_(model), tokens_(model.lexicon), expansion_(tokens_) {
  parents_.push_back({0, 0});
  states_.number({});
}

void SparseScorer::set_sentence(std::span<const std::string> words, std::span<const WordId> numbers) {
  sentence_.clear();
  for (std::size_t i = 0; i < words.size(); ++i)
    sentence_.push_back(numbers[i] == kNoWord ? tokens_.add(words[i], false) : model_.lexicon.source(numbers[i]));
}

void SparseScorer::begin_event(const ActiveTemplate& active, std::span<const Position> positions) {
  const std::uint64_t key = expansion_.key(active, positions);
  const std::size_t event = event_scores_.size();
  event_scores_.push_back(0.0f);
  WordEvent words{&active, key, {}, static_cast<std::uint32_t>(positions.size()), static_cast<std::uint32_t>(event)};
  bool only_words = positions.size() <= words.words.size();
  for (std::size_t i = 0; only_words && i < positions.size(); ++i) {
    only_words = positions[i].kind == Position::Kind::kToken;
    words.words[i] = positions[i].token;
  }
  // Phrases and literals may be gone when the template returns, and words are by far the most.
  if (!only_words) {
    if (!weights_->thread->events.find(key, weights_->version, event_scores_[event]))
      ask_for_weights(active, positions, key, event);
    return;
  }
  weights_->thread->events.prefetch(key);
  word_events_.push_back(words);
}

void SparseScorer::ask_for_weights(const ActiveTemplate& active, std::span<const Position> positions,
                                   std::uint64_t key, std::size_t event) {
  for (std::uint64_t feature : expansion_.features(active, positions)) {
    weights_->view.prefetch(feature);
    pending_features_.push_back(feature);
  }
  pending_.push_back({key, event, pending_features_.size()});
}

// What is remembered and what is not lies all over memory: all of it is asked for before the first is waited for.
void SparseScorer::begin_sum() {
  event_scores_.clear();
  word_events_.clear();
  pending_.clear();
  pending_features_.clear();
}

float SparseScorer::end_sum() {
  for (const WordEvent& event : word_events_) {
    if (weights_->thread->events.find(event.key, weights_->version, event_scores_[event.event])) continue;
    std::array<Position, 4> positions{event.words[0], event.words[1], event.words[2], event.words[3]};
    ask_for_weights(*event.active, std::span(positions).first(event.count), event.key, event.event);
  }
  std::size_t next = 0;
  for (const Pending& pending : pending_) {
    float score = 0;
    for (; next < pending.features_end; ++next) score += weights_->view.weight(pending_features_[next]);
    event_scores_[pending.event] = score;
    weights_->thread->events.keep(pending.key, weights_->version, score);
  }
  float total = 0;
  for (float score : event_scores_) total += score;  // in one order, whatever was known
  return total;
}

template <class Call>
float SparseScorer::sum(Call&& call) {
  begin_sum();
  for (const ActiveTemplate& active : model_.templates) {
    Sink sink(tokens_, [&](std::span<const Position> positions) { begin_event(active, positions); });
    call(*active.events, sink);
  }
  return end_sum();
}

float SparseScorer::rule_sum(const RuleFacts& rule) {
  if (rule.target.empty()) return 0.0f;
  return sum([&](const Template& events, EventSink& sink) { events.in_rule(rule, sink); });
}

float SparseScorer::unaligned_score(TokenId target) {
  if (weights_ == nullptr || weights_->view.empty()) return 0.0f;
  bool known;
  float* score = weights_->thread->unaligned.find(target, known);
  if (known) return *score;
  return *score = sum([&](const Template& events, EventSink& sink) { events.unaligned(target, sentence_, sink); });
}

void SparseScorer::add_option(const RuleFacts& rule) { options_.push_back(store(rule)); }

SparseScorer::StoredOption SparseScorer::store(const RuleFacts& rule) {
  StoredOption option{};
  option.source_begin = static_cast<std::uint32_t>(option_tokens_.size());
  option.source_count = static_cast<std::uint16_t>(rule.source.size());
  option_tokens_.insert(option_tokens_.end(), rule.source.begin(), rule.source.end());
  option.target_begin = static_cast<std::uint32_t>(option_tokens_.size());
  option.target_count = static_cast<std::uint16_t>(rule.target.size());
  option_tokens_.insert(option_tokens_.end(), rule.target.begin(), rule.target.end());
  option.links_begin = static_cast<std::uint32_t>(option_links_.size());
  option.link_count = static_cast<std::uint16_t>(rule.links.size());
  option_links_.insert(option_links_.end(), rule.links.begin(), rule.links.end());
  option.gaps = rule.gaps;
  option.swapped = rule.swapped;
  option.known = true;
  option.parent = needs(Template::kParent) ? intern_parent(rule) : 0;
  return option;
}

std::uint32_t SparseScorer::intern_parent(const RuleFacts& rule) {
  scratch_.clear();
  for_each_aligned(rule, [&](TokenId token) { scratch_.push_back(token); });
  if (scratch_.empty()) return 0;
  std::uint64_t hash = scratch_.size();
  for (TokenId token : scratch_) hash = combine64(hash, token);
  const auto [found, fresh] = parent_numbers_.try_emplace(hash, static_cast<std::uint32_t>(parents_.size()));
  if (fresh) {
    parents_.push_back(
        {static_cast<std::uint32_t>(parent_tokens_.size()), static_cast<std::uint32_t>(scratch_.size())});
    parent_tokens_.insert(parent_tokens_.end(), scratch_.begin(), scratch_.end());
  }
  return found->second;
}

RuleFacts SparseScorer::facts(std::uint32_t number) {
  const StoredOption& option = stored(number);
  return {{option_tokens_.data() + option.source_begin, option.source_count},
          {option_tokens_.data() + option.target_begin, option.target_count},
          {option_links_.data() + option.links_begin, option.link_count},
          option.gaps,
          option.swapped};
}

float SparseScorer::step_score(const SparseStep& step) {
  if (model_.step_groups.empty() || weights_->view.empty()) return 0.0f;
  if (model_.step_groups.size() == 1) return grouped_step_score(step);
  // Most steps were met before just as they are, so most are answered by one look instead of one per group.
  const std::uint64_t key = combine64(
      std::uint64_t{step.option} << 32 | step.parent,
      std::uint64_t{step.side} << 40 | static_cast<std::uint64_t>(step.orientation) << 32 |
          static_cast<std::uint32_t>(step.distortion));
  bool known;
  float* score = weights_->thread->whole_steps.find(key, known);
  if (!known) *score = grouped_step_score(step);
  return *score;
}

float SparseScorer::grouped_step_score(const SparseStep& step) {
  float total = 0;
  for (std::size_t i = 0; i < model_.step_groups.size(); ++i) {
    const SparseModel::StepGroup& group = model_.step_groups[i];
    const auto seen = [&](unsigned what, std::uint64_t value) { return (group.needs & what) != 0 ? value : 0; };
    const std::uint64_t key = combine64(
        std::uint64_t{step.option} << 32 | seen(Template::kParent, step.parent),
        i << 48 | seen(Template::kSide, step.side) << 40 |
            seen(Template::kOrientation, static_cast<std::uint64_t>(step.orientation)) << 32 |
            seen(Template::kDistortion, static_cast<std::uint32_t>(step.distortion)));
    bool known;
    float* score = weights_->thread->steps.find(key, known);
    if (!known) *score = step_sum(group, step);
    total += *score;
  }
  return total;
}

float SparseScorer::step_sum(const SparseModel::StepGroup& group, const SparseStep& step) {
  const StepFacts facts_of_step{facts(step.option), step.orientation, step.distortion, step.side,
                                parent_tokens(step.parent)};
  if (facts_of_step.rule.target.empty()) return 0.0f;
  begin_sum();
  for (std::size_t number : group.templates) {
    const ActiveTemplate& active = model_.templates[number];
    Sink sink(tokens_, [&](std::span<const Position> positions) { begin_event(active, positions); });
    active.events->in_step(facts_of_step, sink);
  }
  return end_sum();
}

RuleFacts SparseScorer::sentence_end() {
  static constexpr TokenId kEndToken[1] = {kEnd};
  static constexpr Link kEndLink[1] = {{0, 0}};
  return {kEndToken, kEndToken, kEndLink};
}

SparseScorer::Border SparseScorer::border_of(std::uint32_t state) {
  Border border{states_[state], {}};
  if (border.before.rule != kNoRule) border.last = facts(border.before.rule);
  return border;
}

float SparseScorer::border_sum(std::uint32_t state, const RuleFacts& rule) {
  const Border border = border_of(state);
  return sum([&](const Template& events, EventSink& sink) {
    events.at_border(border.before, border.last_or_null(), rule, sink);
  });
}

Crossing SparseScorer::cross(std::uint32_t state, std::uint32_t option) {
  if (weights_->view.empty()) return {0.0f, after(state, option)};
  bool known;
  Crossing* crossing = weights_->thread->crossings.find(std::uint64_t{state} << 32 | option, known);
  if (known) return *crossing;
  const RuleFacts rule = facts(option);
  return *crossing = {rule.target.empty() ? 0.0f : border_sum(state, rule), after(state, option)};
}

float SparseScorer::end_score(std::uint32_t state) {
  return weights_->view.empty() ? 0.0f : border_sum(state, sentence_end());
}

std::uint32_t SparseScorer::after(std::uint32_t state, std::uint32_t option) {
  Before next = states_[state];
  const RuleFacts rule = facts(option);
  if (rule.target.empty()) return state;
  if (needs(Template::kLastTwoWords)) next.words[1] = rule.target.size() > 1 ? rule.target.end()[-2] : next.words[0];
  if (needs(Template::kLastWord | Template::kLastTwoWords)) next.words[0] = rule.target.back();
  if (needs(Template::kLastPair) && rule.has_pairs()) {
    next.pair_target = rule.pair_target(rule.links.size() - 1);
    next.pair_source = rule.pair_source(rule.links.size() - 1);
  }
  if (needs(Template::kLastRule)) next.rule = option;
  return states_.number(next);
}

void SparseScorer::features(std::span<const SparseStep> derivation, std::vector<Firing>& out) {
  out.clear();
  fire_derivation(derivation, [&](const ActiveTemplate& active, std::span<const Position> positions) {
    const auto features = expansion_.features(active, positions);
    const auto checks = expansion_.checks(active, positions);
    for (std::size_t i = 0; i < features.size(); ++i) out.push_back({features[i], 1.0f, checks[i]});
  });
  add_up(out);
}

void SparseScorer::rule_features(std::span<const std::uint32_t> options, std::span<const std::size_t> templates,
                                 std::vector<Firing>& out) {
  out.clear();
  fire_rules(options, templates, [&](const ActiveTemplate& active, std::span<const Position> positions) {
    const auto features = expansion_.features(active, positions);
    const auto checks = expansion_.checks(active, positions);
    for (std::size_t i = 0; i < features.size(); ++i) out.push_back({features[i], 1.0f, checks[i]});
  });
  add_up(out);
}

void SparseScorer::add_up(std::vector<EventCount>& out) {
  std::sort(out.begin(), out.end(), [](const EventCount& a, const EventCount& b) { return a.event < b.event; });
  std::size_t kept = 0;
  for (const EventCount& one : out) {
    if (kept > 0 && out[kept - 1].event == one.event) out[kept - 1].count += one.count;
    else out[kept++] = one;
  }
  out.resize(kept);
}

void SparseScorer::add_up(std::vector<Firing>& out) {
  std::sort(out.begin(), out.end(), [](const Firing& a, const Firing& b) {
    return a.feature != b.feature ? a.feature < b.feature : a.check < b.check;
  });
  std::size_t kept = 0;
  for (const Firing& firing : out) {
    if (kept > 0 && out[kept - 1].feature == firing.feature && out[kept - 1].check == firing.check) {
      out[kept - 1].count += firing.count;
    } else {
      out[kept++] = firing;
    }
  }
  out.resize(kept);
}

}  // namespace isogloss::features
