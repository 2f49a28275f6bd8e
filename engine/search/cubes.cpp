#include "search/cubes.hpp"

namespace isogloss::search {

void Cubes::begin(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
                  Coverages& coverages) {
  task_ = &task;
  weights_ = &weights;
  limits_ = &limits;
  matches_ = &matches;
  coverages_ = &coverages;
  sources_.clear();
  if (of_group_.size() < task.source.places()) of_group_.resize(task.source.places());
  for (std::vector<Cube>& cubes : of_group_) cubes.clear();
}

void Cubes::add(const CubeSource& source, std::size_t covered) {
  Cube cube{};
  cube.source = static_cast<std::uint32_t>(sources_.size());
  cube.after = kNone;
  sources_.push_back(source);
  std::uint32_t spans = (*coverages_)[source.coverage].open_spans;
  sources_.back().parent = coverages_->open_spans(spans).parent;
  if (matches_->limits().hierarchical) return add_matches(cube, spans, covered);
  for (; spans != 0; spans = coverages_->open_spans(spans).rest, ++cube.depth) add_matches(cube, spans, covered);
}

/// `spans` are the open spans from the one on that is taken.
void Cubes::add_matches(Cube cube, std::uint32_t spans, std::size_t covered) {
  const Coverage coverage = (*coverages_)[sources_[cube.source].coverage];
  const bool hierarchical = matches_->limits().hierarchical;
  const Matches::Range range = matches_->of(coverages_->open_spans(spans).first);
  for (std::uint32_t number = range.begin; number < range.end; ++number) {
    const Match& match = matches_->match(number);
    if (!hierarchical && !allowed(coverage, match)) continue;
    cube.rest = rest_after(coverage, match, spans, cube.depth);
    if (cube.rest <= Estimates::kImpossible / 2) continue;  // a gap that nothing can fill
    cube.match = number;
    cube.options_begin = match.options_begin;
    cube.options_count = match.options_end - match.options_begin;
    cube.has_gaps = match.gap_count > 0;
    cube.distortion = static_cast<std::int16_t>(task_->source.signed_distortion(coverage.last, match.first));
    cube.orientation =
        task_->with_orientation ? coverages_->orientation(coverage.blocks, match.block()) : Orientation::monotone;
    cube.next = task_->with_next ? coverages_->next_orientation(coverage, coverage.own, match.block()) : cube.orientation;
    cube.side = task_->with_sides ? coverage.side(match.first, match.last) : Side::kRight;
    cube.constant = step_score(coverage, match);
    of_group_[covered + match.covered()].push_back(cube);
  }
}

/// Estimate of all that is open after a step. `spans` are the open spans from the one on that the match takes.
float Cubes::rest_after(const Coverage& coverage, const Match& match, std::uint32_t spans, unsigned depth) const {
  const OpenSpans& taken = coverages_->open_spans(spans);
  float rest = coverages_->open_spans(coverage.open_spans).estimate - task_->estimates.of(taken.first);
  for (const Span& gap : match.gaps()) rest += task_->estimates.of(gap);
  Place at = match.last;
  unsigned travel = 0;
  const auto visit = [&](Span span) {
    travel += task_->source.distortion(at, span.begin);
    at = span.end;
  };
  for (std::uint32_t skipped = coverage.open_spans; depth-- > 0; skipped = coverages_->open_spans(skipped).rest)
    visit(coverages_->open_spans(skipped).first);
  for (const Span& gap : match.gaps()) visit(gap);
  if (taken.rest != 0) {
    const OpenSpans& others = coverages_->open_spans(taken.rest);
    travel += task_->source.distortion(at, others.first.begin) + others.travel;
  }
  return rest + coverages_->travel_weight() * static_cast<float>(travel);
}

float Cubes::step_score(const Coverage& coverage, const Match& match) const {
  const float distortion = static_cast<float>(task_->source.distortion(coverage.last, match.first));
  float score = weights_->backtrack * distortion;
  for (std::size_t kind = 0; kind < kArcKinds; ++kind)
    score += weights_->arc_scores[kind] * match.arc_scores[kind];
  if (match.kind == RuleKind::kRule) {
    score += weights_->distance_rule * distortion;
  } else {
    score += weights_->distance_glue * distortion + weights_->glue[static_cast<std::size_t>(match.kind) - 1];
  }
  return match.reordering ? score + weights_->reordering : score;
}

/// Whether one phrase covers a span exactly; otherwise a hole of this width would never be closed.
bool Cubes::has_phrase(Span span) const {
  for (const Match& match : task_->options.of(span))
    if (match.gap_count == 0 && match.options_begin < match.options_end) return true;
  return false;
}

/// Whether the phrase search may go on with this match.
bool Cubes::allowed(const Coverage& coverage, const Match& match) const {
  const Place leftmost = coverages_->open_spans(coverage.open_spans).first.begin;
  const bool leaves_hole = match.first != leftmost;
  switch (limits_->phrase_order) {
    case PhraseOrder::kMonotone:
      return !leaves_hole;
    case PhraseOrder::kSwap: {
      // A hole on the left is closed by the very next phrase.
      const bool hole = leftmost < coverage.last;
      if (hole) return !leaves_hole && match.gap_count == (match.span.end == task_->source.whole().end ? 1 : 0);
      return !leaves_hole || has_phrase({leftmost, match.first});
    }
    case PhraseOrder::kDistortion:
      break;
  }
  if (task_->source.distortion(coverage.last, match.first) > limits_->distortion_limit) return false;
  // The way back to what was left behind must not be too long either.
  return !leaves_hole || task_->source.distortion(match.last, leftmost) <= limits_->distortion_limit;
}

std::uint32_t Cubes::coverage_after(const Cube& cube, std::uint32_t parent) {
  const Coverage before = (*coverages_)[sources_[cube.source].coverage];
  const Match& match = matches_->match(cube.match);
  // The spans before the one that was taken stay in front of what it leaves.
  std::uint32_t spans = before.open_spans;
  skipped_.clear();
  for (unsigned i = 0; i < cube.depth; ++i) {
    skipped_.push_back(coverages_->open_spans(spans).first);
    spans = coverages_->open_spans(spans).rest;
  }
  spans = coverages_->open_spans(spans).rest;
  for (std::size_t i = match.gap_count; i-- > 0;) spans = coverages_->push(match.gap_spans[i], spans, parent);
  for (std::size_t i = skipped_.size(); i-- > 0;) spans = coverages_->push(skipped_[i], spans);
  const Span hull{match.first, match.last};
  const std::uint32_t blocks =
      task_->with_orientation ? coverages_->shift(before.blocks, hull, hull.width() - match.covered()) : 0;
  const Place own = task_->with_next ? coverages_->own(match) : kNowhere;
  return coverages_->number({spans, blocks, match.last, task_->with_sides ? match.first : Place{0}, own});
}

}  // namespace isogloss::search
