#include "search/collector.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "search/joint_alignment.hpp"
#include "templates/aligned.hpp"

namespace isogloss::search {

Collector::Collector(const RuleTables& tables, const lm::Model& language_model, std::span<const WordId> lm_words,
                     const RuleWeights& weights, const CollectorLimits& limits, CollectorMemory& memory,
                     features::SparseScorer* sparse, features::OptionFacts* facts, const Constraint* constraint,
                     const JointSource* joint_source, JointScores* joint)
    : tables_(tables), language_model_(language_model), lm_words_(lm_words), weights_(weights), limits_(limits),
      sparse_(sparse), facts_(facts), constraint_(constraint), sides_(memory.sides), lexical_(memory.translations),
      joint_source_(joint_source), joint_(joint),
      with_insertions_(memory.translations.any()),
      with_unaligned_(sparse != nullptr && sparse->needs(features::Template::kUnaligned)),
      reorders_((with_insertions_ && weights.insertion != 0) || with_unaligned_ || constraint != nullptr ||
                joint != nullptr) {}

void Collector::collect(const Source& source, Options& out, Deadline deadline) {
  source_ = &source;
  deadline_ = deadline;
  steps_ = 0;
  hurried_ = false;
  out_ = &out;
  out.places = source.places();
  out.words.clear();
  out.lm_words.clear();
  out.constraint_words.clear();
  out.joint_words.clear();
  out.joint_positions.clear();
  out.joint_ends.clear();
  out.options.clear();
  out.phrases.clear();
  out.sides.clear();
  unsorted_.clear();
  lexical_.set_sentence(source);
  collect_from(tables_.main);
  if (tables_.overlay != nullptr) collect_from(*tables_.overlay);
  pass_through();
  sort_matches();
  if (constraint_ == nullptr) return;
  for (WordId word : out.words) out.constraint_words.push_back(constraint_->number(word));
}

float Collector::constraint_score(std::span<const WordId> words) {
  if (constraint_ == nullptr) return 0.0f;
  constraint_words_.clear();
  for (WordId word : words) constraint_words_.push_back(constraint_->number(word));
  return constraint_->optimistic_score(constraint_words_);
}

void Collector::forget_model(Option& option, float constraint_score) const {
  if (constraint_ == nullptr || constraint_->with_model()) return;
  option.constant = 0.0f;
  option.optimistic_score = constraint_score;
  option.previous = option.next = {};
}

void Collector::collect_from(const RuleTable& table) {
  table_ = &table;
  for (std::size_t begin = 0; begin + 1 < source_->places(); ++begin) {
    begin_ = static_cast<Place>(begin);
    words_ = gap_count_ = 0;
    arc_scores_ = {};
    symbol_places_.clear();
    furthest_ = begin_;
    for (std::size_t end = begin; end < source_->places(); ++end)
      if (source_->distance(begin_, static_cast<Place>(end)) <= limits_.max_span) furthest_ = static_cast<Place>(end);
    walk(RuleTable::kRoot, begin_);
  }
}

bool Collector::translates(const RuleTable& table, WordId word) const {
  const RuleTable::Node side = word == kNoWord ? RuleTable::kNoNode : table.child(RuleTable::kRoot, word);
  if (side == RuleTable::kNoNode || !table.has_rules(side)) return false;
  const SideView rules = table.side(side);
  for (std::uint32_t number = rules.first_rule; number < rules.last_rule; ++number)
    if (usable(table.scores(number))) return true;
  return false;
}

bool Collector::usable(std::span<const float> scores) {
  return std::find(scores.begin(), scores.end(), -std::numeric_limits<float>::infinity()) == scores.end();
}

void Collector::walk(RuleTable::Node node, Place at) {
  if (words_ > 0 && table_->has_rules(node)) found(node, at);
  if (!table_->has_children(node) || (words_ > 0 && hurries())) return;
  for (const SourceArc& arc : source_->from(at)) {
    if (arc.word == kNoWord) continue;
    if (gap_count_ > 0 && arc.end > furthest_) continue;
    const RuleTable::Node child = table_->child(node, arc.word);
    if (child == RuleTable::kNoNode) continue;
    const Place first = first_, last = last_;
    const ArcScores arc_scores = arc_scores_;
    if (words_++ == 0) first_ = arc.begin;
    last_ = arc.end;
    arc_scores_[static_cast<std::size_t>(arc.kind)] += arc.score;
    symbol_places_.push_back(arc.begin);
    walk(child, arc.end);
    symbol_places_.pop_back();
    first_ = first, last_ = last, arc_scores_ = arc_scores;
    --words_;
  }
  const RuleTable::Node child = gap_count_ < 2 ? table_->gap_child(node) : RuleTable::kNoNode;
  if (child == RuleTable::kNoNode) return;
  for (std::size_t end = at + std::size_t{1}; end <= furthest_; ++end) {
    const Span gap{at, static_cast<Place>(end)};
    if (!source_->reaches(gap.begin, gap.end)) continue;
    gaps_[gap_count_++] = gap;
    symbol_places_.push_back(gap.begin);
    walk(child, gap.end);
    symbol_places_.pop_back();
    --gap_count_;
  }
}

// In a lattice with many ways, the number of ways that a rule can take grows with every word of it.
bool Collector::hurries() {
  constexpr std::size_t kMostMatches = std::size_t{1} << 22;
  constexpr std::uint32_t kStepsPerLook = 256;
  if (!hurried_ && ++steps_ % kStepsPerLook == 0) hurried_ = deadline_.passed() || unsorted_.size() > kMostMatches;
  return hurried_;
}

void Collector::found(RuleTable::Node node, Place end) {
  if (gap_count_ > 0 && source_->distance(begin_, end) > limits_.max_span) return;
  // One late example must not change what a common word becomes everywhere: it may add words, and phrases.
  if (table_ == tables_.overlay && words_ == 1 && gap_count_ == 0 && translates(tables_.main, table_->symbol(node)))
    return;
  const OptionRanges ranges = ranges_of(node);
  if (ranges.in_order_begin < ranges.in_order_end) add_match(ranges, false, end);
  if (ranges.in_order_end < ranges.swapped_end) add_match(ranges, true, end);
}

void Collector::add_match(OptionRanges ranges, bool swapped, Place end) {
  Match match{};
  match.span = {begin_, end};
  match.gap_spans = gaps_;
  match.gap_count = static_cast<std::uint8_t>(gap_count_);
  if (swapped) std::swap(match.gap_spans[0], match.gap_spans[1]);
  match.kind = RuleKind::kRule;
  match.first = first_;
  match.last = last_;
  match.reordering = swapped;
  for (const Span& gap : match.gaps()) match.reordering |= gap.begin < last_;
  match.options_begin = swapped ? ranges.in_order_end : ranges.in_order_begin;
  match.options_end = swapped ? ranges.swapped_end : ranges.in_order_end;
  match.arc_scores = arc_scores_;
  unsorted_.push_back(match);
}

OptionRanges Collector::ranges_of(RuleTable::Node node) {
  const std::uint64_t key = std::uint64_t{table_ != &tables_.main} << 32 | node;
  RankedSide* side = sides_.find(key);
  if (side == nullptr || (constraint_ != nullptr && !side->complete)) side = &sides_.add(rank(key, node));
  // Words of a rule belong to other positions wherever it matches.
  if (side->sentence != sides_.sentence() || joint_source_ != nullptr) {
    side->ranges = place(*side);
    side->sentence = sides_.sentence();
  }
  return side->ranges;
}

RankedSide Collector::rank(std::uint64_t key, RuleTable::Node node) {
  const SideView side = table_->side(node);
  RankedSide ranked{};
  ranked.key = key;
  ranked.words_begin = static_cast<std::uint32_t>(sides_.words.size());
  ranked.complete = true;
  table_->symbols(node, symbols_);
  lexical_.set_side(symbols_);
  if (sparse_ != nullptr) reader_.set_side(sparse_->model().lexicon, symbols_, side.gaps);
  ranked_options_.clear();
  ranked_phrases_.clear();
  ranked_extras_.clear();
  std::uint32_t last = side.last_rule;
  if (limits_.max_scanned > 0) last = std::min(last, side.first_rule + limits_.max_scanned);
  for (std::uint32_t number = side.first_rule; number < last; ++number)
    if (usable(table_->scores(number))) rank_option(number, side);
  drop_hopeless(ranked);
  if (!reorders_)
    std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t i) { return !ranked_extras_[i].swapped; });

  ranked.options_begin = static_cast<std::uint32_t>(sides_.options.size());
  ranked.in_order_end = ranked.options_begin;
  for (std::uint32_t i : order_) {
    Option option = ranked_options_[i];
    const RuleView rule = table_->rule(option.rule - tables_.offset(*table_), side);
    option.words_begin = static_cast<std::uint32_t>(sides_.words.size()) - ranked.words_begin;
    for (WordId word : rule.words) {
      sides_.words.push_back(word);
      sides_.lm_words.push_back(lm_words_[word]);
    }
    if (joint_source_ != nullptr) append_aligned_symbols(rule.links, rule.words.size(), sides_.joint_symbols);
    sides_.options.push_back(option);
    sides_.phrases.push_back(ranked_phrases_[i]);
    sides_.extras.push_back(ranked_extras_[i]);
    if (!ranked_extras_[i].swapped) ++ranked.in_order_end;
  }
  ranked.options_end = static_cast<std::uint32_t>(sides_.options.size());
  ranked.words_end = static_cast<std::uint32_t>(sides_.words.size());
  return ranked;
}

void Collector::rank_option(std::uint32_t number, const SideView& side) {
  const RuleView rule = table_->rule(number, side);
  Option option{};
  RankedExtra extra{};
  option.rule = number + tables_.offset(*table_);
  option.word_count = static_cast<std::uint16_t>(rule.words.size());
  option.unmatched.deletions = lexical_.deletions(rule.words);
  option.constant = weights_.rule_count + weights_.word_count * static_cast<float>(rule.words.size()) +
                    weights_.deletion * option.unmatched.deletions;
  const std::span<const float> scores = table_->scores(number);
  for (std::size_t i = 0; i < scores.size(); ++i) option.constant += weights_.table[i] * scores[i];
  const std::span<const float> orientation = table_->orientation(number);
  for (std::size_t i = 0; !orientation.empty() && i < 3; ++i) {
    option.previous[i] = weights_.previous[i] * orientation[i];
    option.next[i] = weights_.next[i] * orientation[3 + i];
  }
  extra.swapped = rule.shape == Shape::two_gaps_swapped;
  extra.loose_begin = static_cast<std::uint32_t>(sides_.loose.size());
  for (WordId word : rule.words)
    if (!lexical_.in_side(word)) sides_.loose.push_back(word);
  extra.loose_end = extra.unaligned_end = static_cast<std::uint32_t>(sides_.loose.size());
  if (sparse_ != nullptr)
    option.constant += sparse_->rule_score(option.rule, [&] { return reader_.of(rule); });
  if (with_unaligned_) {
    features::for_each_unaligned(reader_.of(rule), [&](features::TokenId t) { sides_.loose.push_back(t); });
    extra.unaligned_end = static_cast<std::uint32_t>(sides_.loose.size());
  }
  option.optimistic_score = option.constant;
  if (weights_.language_model != 0) {
    WordId lm_words[256];
    const std::size_t count = std::min<std::size_t>(rule.words.size(), 256);
    for (std::size_t i = 0; i < count; ++i) lm_words[i] = lm_words_[rule.words[i]];
    ranked_phrases_.push_back(lm::score_phrase(language_model_, {lm_words, count}));
    option.optimistic_score += weights_.language_model * ranked_phrases_.back().total();
  } else {
    ranked_phrases_.emplace_back();
  }
  ranked_options_.push_back(option);
  ranked_extras_.push_back(extra);
}

/// Leaves in `order_` the options that may be among the best in some sentence, those first that may be the best there.
void Collector::drop_hopeless(RankedSide& side) {
  order_.clear();
  lowest_.clear();
  for (std::uint32_t i = 0; i < ranked_options_.size(); ++i) {
    RankedExtra& extra = ranked_extras_[i];
    const float most = weights_.insertion * static_cast<float>(std::min(extra.loose_end - extra.loose_begin, 255u));
    extra.highest = ranked_options_[i].optimistic_score + std::max(0.0f, most);
    lowest_.push_back(ranked_options_[i].optimistic_score + std::min(0.0f, most));
    order_.push_back(i);
  }
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    const float first = ranked_extras_[a].highest, second = ranked_extras_[b].highest;
    return first != second ? first > second : a < b;  // the order of the table, which is fixed, decides between equals
  };
  const std::size_t most = limits_.max_options;
  const bool by_sentence = with_unaligned_ || joint_ != nullptr;
  if (most > 0 && order_.size() > most && !by_sentence && constraint_ == nullptr) {
    std::nth_element(lowest_.begin(), lowest_.begin() + static_cast<std::ptrdiff_t>(most - 1), lowest_.end(),
                     std::greater<>());
    const float enough = lowest_[most - 1];
    side.complete = std::erase_if(order_, [&](std::uint32_t i) { return ranked_extras_[i].highest < enough; }) == 0;
  }
  std::sort(order_.begin(), order_.end(), better);
  // What only the joint model or features of the whole sentence like is looked for among twice as many.
  const std::size_t looked_at = by_sentence ? 2 * most : most;
  if ((!reorders_ || (by_sentence && constraint_ == nullptr)) && most > 0 && order_.size() > looked_at)
    order_.resize(looked_at), side.complete = false;
}

OptionRanges Collector::place(const RankedSide& side) {
  OptionRanges ranges{};
  ranges.in_order_begin = ranges.in_order_end = static_cast<std::uint32_t>(out_->options.size());
  reorders_ ? place_reordered(side, ranges) : place_in_order(side, ranges);
  ranges.swapped_end = static_cast<std::uint32_t>(out_->options.size());
  if (sparse_ != nullptr) {
    sparse_->add_options(ranges.swapped_end - ranges.in_order_begin, *facts_);
    out_->sides.resize(out_->options.size(), static_cast<RuleTable::Node>(side.key));
  }
  return ranges;
}

std::uint8_t Collector::insertions(const RankedExtra& extra) const {
  std::size_t count = 0;
  for (std::uint32_t i = extra.loose_begin; i < extra.loose_end; ++i) count += !lexical_.in_sentence(sides_.loose[i]);
  return static_cast<std::uint8_t>(std::min<std::size_t>(count, 255));
}

/// Words of a ranked side, by their places in the memory, at the positions of the match.
void Collector::read_joint_words(std::uint32_t begin, std::uint32_t end) {
  joint_words_.clear();
  joint_positions_.clear();
  for (std::uint32_t i = begin; i < end; ++i) {
    joint_words_.push_back(joint_source_->of_table(sides_.words[i]));
    const std::size_t symbol = sides_.joint_symbols[i];
    const Place place = symbol < symbol_places_.size() ? symbol_places_[symbol] : first_;
    joint_positions_.push_back(joint_source_->position(place));
  }
}

/// The words just read become those of the sentence's next option.
void Collector::place_joint_words() {
  out_->joint_words.insert(out_->joint_words.end(), joint_words_.begin(), joint_words_.end());
  out_->joint_positions.insert(out_->joint_positions.end(), joint_positions_.begin(), joint_positions_.end());
  const bool is_long = joint_ != nullptr && joint_words_.size() > joint_->length();
  out_->joint_ends.push_back(is_long ? joint_->history_after(joint_words_) : 0);
}

/// What the joint model says of the words just read.
Collector::JointJudgement Collector::judge_joint() {
  const std::size_t open = std::min(joint_words_.size(), joint_->length());
  JointJudgement judgement{};
  for (std::size_t i = 0; i < open; ++i) judgement.open += joint_->estimate(joint_positions_[i], joint_words_[i]);
  if (joint_words_.size() > open) {
    std::uint32_t history = joint_->history_after(std::span(joint_words_).first(open));
    for (std::size_t i = open; i < joint_words_.size(); ++i) {
      const JointScores::Scored scored = joint_->score(history, joint_positions_[i], joint_words_[i]);
      judgement.inner += scored.log_prob;
      history = scored.next;
    }
  }
  judgement.open *= weights_.joint;
  judgement.inner *= weights_.joint;
  return judgement;
}

void Collector::place_in_order(const RankedSide& side, OptionRanges& ranges) {
  if (joint_source_ != nullptr) {  // it weighs nothing, but its feature has a value
    for (std::uint32_t i = side.options_begin; i < side.options_end; ++i) {
      const std::uint32_t begin = side.words_begin + sides_.options[i].words_begin;
      read_joint_words(begin, begin + sides_.options[i].word_count);
      place_joint_words();
    }
  }
  const auto words = static_cast<std::uint32_t>(out_->words.size());
  out_->words.insert(out_->words.end(), sides_.words.begin() + side.words_begin, sides_.words.begin() + side.words_end);
  out_->lm_words.insert(out_->lm_words.end(), sides_.lm_words.begin() + side.words_begin,
                        sides_.lm_words.begin() + side.words_end);
  out_->options.insert(out_->options.end(), sides_.options.begin() + side.options_begin,
                       sides_.options.begin() + side.options_end);
  out_->phrases.insert(out_->phrases.end(), sides_.phrases.begin() + side.options_begin,
                       sides_.phrases.begin() + side.options_end);
  Option* option = out_->options.data() + ranges.in_order_begin;
  for (std::uint32_t i = side.options_begin; i < side.options_end; ++i, ++option) {
    option->words_begin += words;
    if (with_insertions_) option->unmatched.insertions = insertions(sides_.extras[i]);
  }
  ranges.in_order_end += side.in_order_end - side.options_begin;
}

Collector::Candidate Collector::judge(const RankedSide& side, std::uint32_t number) {
  const Option& option = sides_.options[number];
  const RankedExtra& extra = sides_.extras[number];
  Candidate candidate{0.0f, 0.0f, 0.0f, number, insertions(extra)};
  if (constraint_ != nullptr)
    candidate.constraint_score =
        constraint_score({sides_.words.data() + side.words_begin + option.words_begin, option.word_count});
  candidate.added = weights_.insertion * static_cast<float>(candidate.insertions);
  for (std::uint32_t i = extra.loose_end; i < extra.unaligned_end; ++i)
    candidate.added += sparse_->unaligned_score(sides_.loose[i]);
  if (joint_ != nullptr) {
    const std::uint32_t begin = side.words_begin + option.words_begin;
    read_joint_words(begin, begin + option.word_count);
    const JointJudgement judgement = judge_joint();
    candidate.added += judgement.inner;
    candidate.score = judgement.open;
  }
  candidate.score += option.optimistic_score + candidate.added;
  return candidate;
}

void Collector::place_reordered(const RankedSide& side, OptionRanges& ranges) {
  candidates_.clear();
  for (std::uint32_t i = side.options_begin; i < side.options_end; ++i) {
    candidates_.push_back(judge(side, i));
    if (candidates_.back().constraint_score == Constraint::kNever) candidates_.pop_back();
  }
  const auto better = [&](const Candidate& a, const Candidate& b) {
    if (a.constraint_score != b.constraint_score) return a.constraint_score > b.constraint_score;
    if (a.score != b.score) return a.score > b.score;
    return sides_.options[a.number].rule < sides_.options[b.number].rule;
  };
  std::size_t kept = candidates_.size();
  if (limits_.max_options > 0) kept = std::min<std::size_t>(kept, limits_.max_options);
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(kept), candidates_.end(),
                    better);
  candidates_.resize(kept);
  for (const bool swapped : {false, true}) {
    for (const Candidate& candidate : candidates_) {
      if (sides_.extras[candidate.number].swapped != swapped) continue;
      Option option = sides_.options[candidate.number];
      const std::uint32_t begin = side.words_begin + option.words_begin, end = begin + option.word_count;
      option.words_begin = static_cast<std::uint32_t>(out_->words.size());
      out_->words.insert(out_->words.end(), sides_.words.begin() + begin, sides_.words.begin() + end);
      out_->lm_words.insert(out_->lm_words.end(), sides_.lm_words.begin() + begin, sides_.lm_words.begin() + end);
      if (joint_source_ != nullptr) {
        read_joint_words(begin, end);
        place_joint_words();
      }
      option.unmatched.insertions = candidate.insertions;
      option.constant += candidate.added;
      option.optimistic_score = candidate.score;
      forget_model(option, candidate.constraint_score);
      out_->options.push_back(option);
      out_->phrases.push_back(sides_.phrases[candidate.number]);
    }
    if (!swapped) ranges.in_order_end = static_cast<std::uint32_t>(out_->options.size());
  }
}

features::RuleFacts Collector::facts_of(const SourceArc& arc) {
  source_tokens_.clear();
  for (std::uint32_t i = 0; i < arc.token_count; ++i) source_tokens_.push_back(sparse_->token(arc.token + i));
  target_tokens_.clear();
  if (arc.fixed) {
    for (const FixedWord& fixed : source_->fixed(arc))
      target_tokens_.push_back(fixed.word != kNoWord ? sparse_->model().lexicon.target(fixed.word)
                                                     : sparse_->target_token(fixed.text));
  } else if (!limits_.drop_unknown) {
    target_tokens_.push_back(sparse_->token_as_target(arc.token));
  }
  // As many words as there were: one by one. Otherwise nobody knows.
  links_.clear();
  if (source_tokens_.size() == target_tokens_.size() && source_tokens_.size() < 256)
    for (std::size_t i = 0; i < source_tokens_.size(); ++i)
      links_.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i)});
  return {source_tokens_, target_tokens_, links_};
}

void Collector::pass_through() {
  for (const SourceArc& arc : source_->arcs()) {
    const std::size_t begin = out_->words.size();
    if (arc.fixed) {
      for (std::uint32_t i = arc.fixed_begin; i < arc.fixed_end; ++i) {
        const FixedWord& fixed = source_->fixed_word(i);
        out_->words.push_back(fixed.word != kNoWord ? fixed.word : kFixedWord + i);
        out_->lm_words.push_back(fixed.lm_word);
      }
      add_only_option(arc, kFixed, begin, 0.0f);
      continue;
    }
    if (translates(tables_.main, arc.word)) continue;
    if (tables_.overlay != nullptr && translates(*tables_.overlay, arc.word)) continue;
    if (!limits_.drop_unknown) {
      out_->words.push_back(kSourceWord + arc.token);
      out_->lm_words.push_back(arc.lm_word);
    }
    add_only_option(arc, kPassedThrough, begin, weights_.unknown);
  }
}

void Collector::add_only_option(const SourceArc& arc, std::uint32_t rule, std::size_t words_begin, float constant) {
  Option option{};
  option.rule = rule;
  option.words_begin = static_cast<std::uint32_t>(words_begin);
  option.word_count = static_cast<std::uint16_t>(out_->words.size() - words_begin);
  option.constant = constant + weights_.rule_count + weights_.word_count * static_cast<float>(option.word_count);
  if (sparse_ != nullptr) {
    const features::RuleFacts facts = facts_of(arc);
    option.constant += sparse_->rule_score(features::SparseScorer::kNoRule, [&] { return facts; });
    if (with_unaligned_)
      features::for_each_unaligned(facts, [&](features::TokenId t) { option.constant += sparse_->unaligned_score(t); });
    sparse_->add_option(facts);
    out_->sides.push_back(RuleTable::kNoNode);
  }
  const lm::ScoredPhrase phrase = lm::score_phrase(language_model_, out_->lm_target(option));
  float joint_open = 0;
  if (joint_source_ != nullptr) {
    joint_words_.clear();
    for (WordId word : out_->target(option))
      joint_words_.push_back(word >= kFixedWord    ? joint_source_->of_fixed(source_->fixed_word(word - kFixedWord))
                             : word >= kSourceWord ? joint_source_->of_token(word - kSourceWord)
                                                   : joint_source_->of_table(word));
    joint_positions_.assign(joint_words_.size(), joint_source_->position(arc.begin));
    place_joint_words();
    if (joint_ != nullptr) {
      const JointJudgement judgement = judge_joint();
      option.constant += judgement.inner;
      joint_open = judgement.open;
    }
  }
  option.optimistic_score = option.constant + weights_.language_model * phrase.total() + joint_open;
  begin_ = first_ = arc.begin;
  last_ = arc.end;
  gap_count_ = 0;
  arc_scores_ = {};
  arc_scores_[static_cast<std::size_t>(arc.kind)] = arc.score;
  const auto number = static_cast<std::uint32_t>(out_->options.size());
  const float wanted = constraint_score(out_->target(option));
  forget_model(option, wanted);
  out_->options.push_back(option);
  out_->phrases.push_back(phrase);
  if (wanted != Constraint::kNever) add_match({number, number + 1, number + 1}, false, arc.end);
}

void Collector::sort_matches() {
  // By span, and within a span in the order of being found.
  out_->matches_begin.assign(out_->places * out_->places + 1, 0);
  for (const Match& match : unsorted_) ++out_->matches_begin[out_->span_number(match.span) + 1];
  for (std::size_t i = 1; i < out_->matches_begin.size(); ++i) out_->matches_begin[i] += out_->matches_begin[i - 1];
  out_->matches.resize(unsorted_.size());
  std::vector<std::uint32_t> next(out_->matches_begin.begin(), out_->matches_begin.end() - 1);
  for (const Match& match : unsorted_) out_->matches[next[out_->span_number(match.span)]++] = match;
}

}  // namespace isogloss::search
