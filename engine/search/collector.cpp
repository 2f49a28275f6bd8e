#include "search/collector.hpp"

#include <algorithm>
#include <limits>

#include "base/hash.hpp"

namespace isogloss::search {
namespace {

constexpr std::uint32_t kFree = 0xffffffffu;

}  // namespace

Collector::Collector(const RuleTables& tables, const lm::Model& language_model, std::span<const WordId> lm_words,
                     const RuleWeights& weights, const CollectorLimits& limits, features::SparseScorer* sparse,
                     const Constraint* constraint, const LexiconView* lexicon)
    : tables_(tables), language_model_(language_model), lm_words_(lm_words), weights_(weights), limits_(limits),
      sparse_(sparse), constraint_(constraint), lexical_(lexicon, limits.lexical_threshold) {}

void Collector::collect(const Source& source, Options& out) {
  source_ = &source;
  out_ = &out;
  out.places = source.places();
  out.words.clear();
  out.lm_words.clear();
  out.constraint_words.clear();
  out.options.clear();
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
  side_slots_.assign(1024, kFree);
  side_nodes_.clear();
  side_ranges_.clear();
  for (std::size_t begin = 0; begin + 1 < source_->places(); ++begin) {
    begin_ = static_cast<Place>(begin);
    words_ = gap_count_ = 0;
    arc_score_ = 0;
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
  if (!table_->has_children(node)) return;
  for (const SourceArc& arc : source_->from(at)) {
    if (arc.word == kNoWord) continue;
    if (gap_count_ > 0 && arc.end > furthest_) continue;
    const RuleTable::Node child = table_->child(node, arc.word);
    if (child == RuleTable::kNoNode) continue;
    const Place first = first_, last = last_;
    const float arc_score = arc_score_;
    if (words_++ == 0) first_ = arc.begin;
    last_ = arc.end;
    arc_score_ += arc.score;
    walk(child, arc.end);
    first_ = first, last_ = last, arc_score_ = arc_score;
    --words_;
  }
  const RuleTable::Node child = gap_count_ < 2 ? table_->gap_child(node) : RuleTable::kNoNode;
  if (child == RuleTable::kNoNode) return;
  for (std::size_t end = at + std::size_t{1}; end <= furthest_; ++end) {
    const Span gap{at, static_cast<Place>(end)};
    if (!source_->reaches(gap.begin, gap.end)) continue;
    gaps_[gap_count_++] = gap;
    walk(child, gap.end);
    --gap_count_;
  }
}

void Collector::found(RuleTable::Node node, Place end) {
  if (gap_count_ > 0 && source_->distance(begin_, end) > limits_.max_span) return;
  // One late example must not change what a common word becomes everywhere: it may add words, and phrases.
  if (table_ == tables_.overlay && words_ == 1 && gap_count_ == 0 && translates(tables_.main, table_->symbol(node)))
    return;
  const Ranges ranges = ranges_of(node);
  if (ranges.in_order_begin < ranges.in_order_end) add_match(ranges, false, end);
  if (ranges.in_order_end < ranges.swapped_end) add_match(ranges, true, end);
}

void Collector::add_match(Ranges ranges, bool swapped, Place end) {
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
  match.arc_score = arc_score_;
  unsorted_.push_back(match);
}

Collector::Ranges Collector::ranges_of(RuleTable::Node node) {
  if (side_nodes_.size() * 2 >= side_slots_.size()) {
    side_slots_.assign(side_slots_.size() * 2, kFree);
    for (std::uint32_t i = 0; i < side_nodes_.size(); ++i) {
      std::size_t slot = mix64(side_nodes_[i]) & (side_slots_.size() - 1);
      while (side_slots_[slot] != kFree) slot = (slot + 1) & (side_slots_.size() - 1);
      side_slots_[slot] = i;
    }
  }
  std::size_t slot = mix64(node) & (side_slots_.size() - 1);
  while (side_slots_[slot] != kFree && side_nodes_[side_slots_[slot]] != node)
    slot = (slot + 1) & (side_slots_.size() - 1);
  if (side_slots_[slot] == kFree) {
    side_slots_[slot] = static_cast<std::uint32_t>(side_nodes_.size());
    side_nodes_.push_back(node);
    rank_side(node);
  }
  return side_ranges_[side_slots_[slot]];
}

void Collector::rank_side(RuleTable::Node node) {
  const SideView side = table_->side(node);
  candidates_.clear();
  scratch_words_.clear();
  std::uint32_t last = side.last_rule;
  table_->symbols(node, symbols_);
  lexical_.set_side(symbols_);
  if (sparse_ != nullptr) list_source();
  if (limits_.max_scanned > 0) last = std::min(last, side.first_rule + limits_.max_scanned);
  for (std::uint32_t number = side.first_rule; number < last; ++number) {
    if (!usable(table_->scores(number))) continue;
    const RuleView rule = table_->rule(number, side);
    Candidate candidate{number, rule.shape == Shape::two_gaps_swapped, constraint_score(rule.words), {}};
    if (candidate.constraint_score == Constraint::kNever) continue;
    Option& option = candidate.option;
    option.rule = number + tables_.offset(*table_);
    option.words_begin = static_cast<std::uint32_t>(scratch_words_.size());
    option.word_count = static_cast<std::uint16_t>(rule.words.size());
    scratch_words_.insert(scratch_words_.end(), rule.words.begin(), rule.words.end());
    option.unmatched = lexical_.of(rule.words);
    option.constant = weights_.rule_count + weights_.word_count * static_cast<float>(rule.words.size()) +
                      weights_.insertion * option.unmatched.insertions + weights_.deletion * option.unmatched.deletions;
    const std::span<const float> scores = table_->scores(number);
    for (std::size_t i = 0; i < scores.size(); ++i) option.constant += weights_.table[i] * scores[i];
    const std::span<const float> orientation = table_->orientation(number);
    for (std::size_t i = 0; !orientation.empty() && i < 3; ++i) {
      option.previous[i] = weights_.previous[i] * orientation[i];
      option.next[i] = weights_.next[i] * orientation[3 + i];
    }
    if (sparse_ != nullptr) option.constant += sparse_->rule_score(option.rule, facts_of(rule, side.gaps));
    option.optimistic_score = option.constant;
    if (weights_.language_model != 0) {
      WordId lm_words[256];
      const std::size_t count = std::min<std::size_t>(rule.words.size(), 256);
      for (std::size_t i = 0; i < count; ++i) lm_words[i] = lm_words_[rule.words[i]];
      option.phrase = lm::score_phrase(language_model_, {lm_words, count});
      option.optimistic_score += weights_.language_model * option.phrase.total();
    }
    candidates_.push_back(candidate);
  }
  // Best first; the order of the table, which is fixed, decides between equals.
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    if (a.constraint_score != b.constraint_score) return a.constraint_score > b.constraint_score;
    if (a.option.optimistic_score != b.option.optimistic_score)
      return a.option.optimistic_score > b.option.optimistic_score;
    return a.rule < b.rule;
  });
  if (limits_.max_options > 0 && candidates_.size() > limits_.max_options) candidates_.resize(limits_.max_options);
  std::stable_partition(candidates_.begin(), candidates_.end(), [](const Candidate& c) { return !c.swapped; });

  Ranges ranges{};
  ranges.in_order_begin = static_cast<std::uint32_t>(out_->options.size());
  ranges.in_order_end = ranges.in_order_begin;
  for (Candidate& candidate : candidates_) {
    const std::span<const WordId> words{scratch_words_.data() + candidate.option.words_begin,
                                        candidate.option.word_count};
    add_words(candidate.option, words);
    forget_model(candidate.option, candidate.constraint_score);
    if (sparse_ != nullptr) sparse_->add_option(facts_of(table_->rule(candidate.rule, side), side.gaps));
    out_->options.push_back(candidate.option);
    if (!candidate.swapped) ++ranges.in_order_end;
  }
  ranges.swapped_end = static_cast<std::uint32_t>(out_->options.size());
  side_ranges_.push_back(ranges);
}

void Collector::list_source() {
  source_tokens_.clear();
  for (WordId symbol : symbols_)
    source_tokens_.push_back(symbol == kGap ? features::kGapToken : sparse_->model().lexicon.source(symbol));
}

features::RuleFacts Collector::facts_of(const RuleView& rule, unsigned gaps) {
  target_tokens_.clear();
  for (WordId word : rule.words) target_tokens_.push_back(sparse_->model().lexicon.target(word));
  links_.clear();
  for (std::size_t i = 0; i + 1 < rule.links.size(); i += 2) links_.push_back({rule.links[i], rule.links[i + 1]});
  return {source_tokens_, target_tokens_, links_, static_cast<std::uint8_t>(gaps),
          rule.shape == Shape::two_gaps_swapped};
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

void Collector::add_words(Option& option, std::span<const WordId> words) {
  option.words_begin = static_cast<std::uint32_t>(out_->words.size());
  for (WordId word : words) {
    out_->words.push_back(word);
    out_->lm_words.push_back(lm_words_[word]);
  }
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
    option.constant += sparse_->rule_score(features::SparseScorer::kNoRule, facts);
    sparse_->add_option(facts);
  }
  option.phrase = lm::score_phrase(language_model_, out_->lm_target(option));
  option.optimistic_score = option.constant + weights_.language_model * option.phrase.total();
  begin_ = first_ = arc.begin;
  last_ = arc.end;
  gap_count_ = 0;
  arc_score_ = arc.score;
  const auto number = static_cast<std::uint32_t>(out_->options.size());
  const float wanted = constraint_score(out_->target(option));
  forget_model(option, wanted);
  out_->options.push_back(option);
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
