#include "grammar/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace isogloss::grammar {
namespace {

/// Probabilities of rules that share a side: discounted counts over the side's count, and with
/// interpolation the rest by the share of all rules that the other side has.
template <class Item, class Count, class Seen, class Others, class Store>
void estimate(std::span<Item> items, const Discounts& discounts, Count count, Seen seen, Others others,
              Store store) {
  double total = 0, kept = 0;
  for (const Item& item : items) {
    total += count(item);
    kept += count(item) * discounts.factor(seen(item));
  }
  const double rest = discounts.interpolates() ? std::max(0.0, 1 - kept / total) : 0;
  for (Item& item : items) {
    const double own = count(item) * discounts.factor(seen(item)) / total;
    store(item, own + rest * others(item) / static_cast<double>(discounts.rules()));
  }
}

float log_float(double probability) { return static_cast<float>(std::log(probability)); }

}  // namespace

RuleScorer::RuleScorer(RuleCounter& counter, ScratchSpace& scratch, std::size_t memory,
                       const ScoreOptions& options)
    : lexicon_(&counter.lexicon()),
      options_(options),
      merger_(counter.finish()),
      more_merged_(merger_.next()),
      stage_(scratch, memory, sizeof(Totals)) {
  counter.lexicon().estimate();
}

bool RuleScorer::merge(std::size_t limit) {
  for (std::size_t done = 0; more_merged_ && done < limit; ++done) {
    take_merged();
    more_merged_ = merger_.next();
  }
  if (!more_merged_ && !pending_.empty()) end_side();
  return more_merged_;
}

/// Keys come sorted by source side, target side and links.
void RuleScorer::take_merged() {
  const std::span<const std::uint8_t> key = merger_.key();
  const RuleSum& sum = merger_.sum();
  const std::span<const std::uint8_t> source = key.first(sum.source_size);
  const std::span<const std::uint8_t> target = key.subspan(sum.source_size, sum.rule_size - sum.source_size);
  const std::span<const std::uint8_t> links = key.subspan(sum.rule_size);
  if (pending_.empty() || sorting::compare(source, source_) != 0) {
    if (!pending_.empty()) end_side();
    source_.assign(source.begin(), source.end());
  }
  const auto append = [this](std::span<const std::uint8_t> bytes) {
    side_bytes_.insert(side_bytes_.end(), bytes.begin(), bytes.end());
    return side_bytes_.size() - bytes.size();
  };
  bool same = !pending_.empty();
  if (same) {
    const Pending& last = pending_.back();
    same = sorting::compare(target, {side_bytes_.data() + last.target, last.links - last.target}) == 0;
  }
  if (!same) {
    const std::size_t at = append(target);
    pending_.push_back({at, at + target.size(), at + target.size(), {}, 0});
  }
  Pending& rule = pending_.back();
  rule.totals.count += sum.count;
  rule.totals.seen += sum.seen;
  for (int i = 0; i < 4; ++i) rule.totals.orientation[i] += sum.orientation[i];
  if (sum.seen > rule.best_seen) {
    rule.best_seen = sum.seen;
    side_bytes_.resize(rule.links);
    append(links);
    rule.end = side_bytes_.size();
  }
}

void RuleScorer::end_side() {
  const auto siblings = static_cast<std::uint32_t>(pending_.size());
  const std::span<const std::uint8_t> bytes(side_bytes_);
  stage_.add_side(source_, siblings);
  for (const Pending& rule : pending_) {
    stage_.add_rule(bytes.subspan(rule.target, rule.links - rule.target),
                    bytes.subspan(rule.links, rule.end - rule.links), &rule.totals,
                    {rule.totals.count, rule.totals.seen, siblings});
    discounts_.count(rule.totals.seen);
  }
  ++sides_;
  pending_.clear();
  side_bytes_.clear();
}

bool RuleScorer::resolve(std::size_t limit) {
  if (more_merged_) throw std::logic_error("rules are to be merged first");
  if (step_ == 0) {
    step_ = 1;
    discounts_.estimate(options_.smoothing);
    stage_.begin_targets();
  }
  struct Item {
    const TargetShare* share;
    TargetFacts* facts;
  };
  std::vector<Item> items;
  return stage_.resolve(limit, [&](std::span<const TargetShare> shares, std::span<TargetFacts> facts) {
    items.clear();
    for (std::size_t i = 0; i < shares.size(); ++i) items.push_back({&shares[i], &facts[i]});
    estimate(
        std::span<Item>(items), discounts_,
        [](const Item& item) { return static_cast<double>(item.share->count); },
        [](const Item& item) { return item.share->seen; },
        [](const Item& item) { return item.share->siblings; },
        [](Item& item, double p) { item.facts->source_given_target = p; });
  });
}

bool RuleScorer::write(std::size_t limit) {
  if (step_ == 0 || stage_.more_targets()) throw std::logic_error("target sides are to be resolved first");
  if (step_ == 1) {
    step_ = 2;
    stage_.begin_sides();
  }
  std::span<const std::uint8_t> source;
  for (std::size_t done = 0; done < limit; done += staged_.size()) {
    if (!stage_.next_side(source, staged_)) {
      writer_.finish();
      return false;
    }
    write_side(source, staged_);
  }
  return true;
}

void RuleScorer::write_side(std::span<const std::uint8_t> source, const std::vector<StagedRule>& rules) {
  decode_source(source.data(), symbols_);
  scored_.clear();
  double total = 0;
  for (const StagedRule& rule : rules) {
    Scored& scored = scored_.emplace_back();
    scored.rule = &rule;
    std::memcpy(&scored.totals, rule.values.data(), sizeof scored.totals);
    total += static_cast<double>(scored.totals.count);
  }
  estimate(
      std::span<Scored>(scored_), discounts_,
      [](const Scored& s) { return static_cast<double>(s.totals.count); },
      [](const Scored& s) { return s.totals.seen; }, [](const Scored& s) { return s.rule->facts.sources; },
      [](Scored& s, double p) { s.target_given_source = p; });
  std::stable_sort(scored_.begin(), scored_.end(), [](const Scored& a, const Scored& b) {
    return a.target_given_source > b.target_given_source;
  });
  writer_.add_side(symbols_);
  for (const Scored& scored : scored_) write_rule(scored, total);
}

void RuleScorer::write_rule(const Scored& scored, double source_count) {
  const StagedRule& rule = *scored.rule;
  words_.clear();
  const std::uint8_t* at = rule.target.data();
  const std::uint8_t* const shape = at + rule.target.size() - 1;
  while (at < shape) words_.push_back(static_cast<WordId>(codes::get(at) - codes::kTargetWords));
  const LexicalWeights lexical = lexical_weights(*lexicon_, symbols_, words_, rule.links);
  const float scores[kColumns] = {
      log_float(scored.target_given_source), log_float(rule.facts.source_given_target),
      static_cast<float>(lexical.target_given_source), static_cast<float>(lexical.source_given_target)};
  const double unit = static_cast<double>(kOneCount);
  const float counts[4] = {static_cast<float>(static_cast<double>(scored.totals.count) / unit),
                           static_cast<float>(source_count / unit),
                           static_cast<float>(rule.facts.count / unit),
                           static_cast<float>(scored.totals.seen)};
  float orientation[6];
  const double seen = scored.totals.seen, added = options_.orientation_smoothing;
  for (int i = 0; i < 2; ++i) {
    const double monotone = scored.totals.orientation[2 * i], swap = scored.totals.orientation[2 * i + 1];
    const double sum = seen + 3 * added;
    orientation[3 * i] = log_float((monotone + added) / sum);
    orientation[3 * i + 1] = log_float((swap + added) / sum);
    orientation[3 * i + 2] = log_float((seen - monotone - swap + added) / sum);
  }
  writer_.add_rule(rule.facts.phrase, static_cast<Shape>(*shape), rule.links, scores, counts,
                   options_.orientation ? std::span<const float>(orientation) : std::span<const float>());
}

}  // namespace isogloss::grammar
