#include "search/matches.hpp"

namespace isogloss::search {
namespace {

constexpr std::uint32_t kNotBuilt = 0xffffffffu;
constexpr std::size_t kMostMatches = std::size_t{1} << 24;  // less than a gigabyte

}  // namespace

Matches::Matches(const Source& source, const Options& options, const MatchLimits& limits, Deadline deadline)
    : source_(source), options_(options), limits_(limits), deadline_(deadline),
      ranges_(options.places * options.places, Range{kNotBuilt, kNotBuilt}) {
  phrases_begin_.push_back(0);
  for (std::size_t begin = 0; begin < options.places; ++begin) {
    const std::size_t from = options.matches_begin[begin * options.places];
    const std::size_t to = options.matches_begin[(begin + 1) * options.places];
    for (std::size_t i = from; i < to; ++i)
      if (options.matches[i].gap_count == 0) phrases_.push_back(static_cast<std::uint32_t>(i));
    phrases_begin_.push_back(static_cast<std::uint32_t>(phrases_.size()));
  }
}

Matches::Range Matches::of(Span span) {
  const std::size_t number = options_.span_number(span);
  if (ranges_[number].begin == kNotBuilt) {
    const auto begin = static_cast<std::uint32_t>(all_.size());
    build(span);
    ranges_[number] = {begin, static_cast<std::uint32_t>(all_.size())};
  }
  return ranges_[number];
}

void Matches::build(Span span) {
  for (const Match& match : options_.of(span))
    if (match.gap_count == 0 || (limits_.hierarchical && limits_.gap_rules)) all_.push_back(match);
  for (std::size_t begin = span.begin; begin < span.end; ++begin) {
    if (begin > span.begin && (all_.size() > kMostMatches || deadline_.passed())) break;
    const std::uint16_t skipped = source_.distance(span.begin, static_cast<Place>(begin));
    if (skipped == Source::kUnreachable) continue;
    if (limits_.hierarchical && skipped > (limits_.reordering_glue ? limits_.distortion_limit : 0)) continue;
    if (!limits_.hierarchical && skipped > limits_.most_skipped) break;
    for (std::uint32_t i = phrases_begin_[begin]; i < phrases_begin_[begin + 1]; ++i)
      add_phrase_inside(span, options_.matches[phrases_[i]]);
  }
}

void Matches::add_phrase_inside(Span span, const Match& phrase) {
  if (phrase.span.end > span.end || phrase.span == span || !source_.reaches(phrase.span.end, span.end)) return;
  const Span left{span.begin, phrase.span.begin}, right{phrase.span.end, span.end};
  if (!limits_.hierarchical) {
    add_glue(span, phrase, RuleKind::kRule, left, right);
  } else if (left.empty()) {
    add_glue(span, phrase, RuleKind::kPhraseThenGap, right, {});
  } else if (right.empty()) {
    add_glue(span, phrase, RuleKind::kGapThenPhrase, left, {});
  } else {
    add_glue(span, phrase, RuleKind::kGapsInOrder, left, right);
    add_glue(span, phrase, RuleKind::kGapsSwapped, right, left);
  }
}

void Matches::add_glue(Span span, const Match& phrase, RuleKind kind, Span first, Span second) {
  Match match = phrase;
  match.span = span;
  match.kind = kind;
  match.loose = true;
  match.gap_count = 0;
  for (const Span& gap : {first, second})
    if (!gap.empty()) match.gap_spans[match.gap_count++] = gap;
  match.reordering = kind != RuleKind::kRule && kind != RuleKind::kPhraseThenGap;
  all_.push_back(match);
}

}  // namespace isogloss::search
