#include "search/sentence_search.hpp"

#include <algorithm>
#include <numbers>

namespace isogloss::search {

SentenceSearch::SentenceSearch(const SearchModel& model, const SearchOptions& options, const SearchWeights& weights,
                               Source source, SearchMemory& memory, std::span<const std::string> words,
                               const features::SparseWeights* sparse, Constraint* constraint)
    : model_(model), limits_(options), source_(std::move(source)), with_orientation_(weights.with_orientation) {
  if (model_.sparse != nullptr && sparse != nullptr) {
    sparse_ = std::make_unique<features::SparseScorer>(*model_.sparse);
    sparse_->use(sparse);
    std::vector<WordId> numbers(words.size(), kNoWord);
    for (const SourceArc& arc : source_.arcs())
      if (!arc.fixed || arc.kind == ArcKind::kGiven) numbers[arc.token] = arc.word;
    sparse_->set_sentence(words, numbers);
    with_orientation_ |= sparse_->needs(features::Template::kOrientation);
    with_sides_ = sparse_->needs(features::Template::kSide);
  }
  if (model_.joint != nullptr) joint_source_.emplace(*model_.joint, model_.joint_words, source_, words);
  const bool with_model = constraint == nullptr || constraint->with_model();
  JointScores* joint = nullptr;
  if (joint_source_ && weights.step.joint != 0 && with_model) {
    joint = &memory.beam.joint;
    joint->begin(*joint_source_);
  }
  Collector collector(model_.tables(), model_.language_model, model_.lm_words, weights.rule, limits_.collector,
                      memory.rules, sparse_.get(), this, constraint, joint_source_ ? &*joint_source_ : nullptr, joint);
  collector.collect(source_, rules_, limits_.beam.deadline);
  estimates_.emplace(source_, rules_, limits_.beam.deadline);
  limits_.matches.most_skipped = most_skipped();
  limits_.beam.diversity &= limits_.matches.hierarchical;
  matches_.emplace(source_, rules_, limits_.matches, limits_.beam.deadline);
  // Where distortion is wanted, nobody knows how much of it there will be.
  const float distortion = with_model ? weights.step.backtrack + weights.step.distance_rule : 0.0f;
  coverages_.emplace(source_, *estimates_, std::min(0.0f, distortion), limits_.blocks_grow);
  const features::SparseWeights no_sparse_weights{};
  if (sparse_ && !with_model) sparse_->use(&no_sparse_weights);
  const Task task{source_, rules_, *estimates_, model_.language_model, sparse_.get(), constraint, with_orientation_,
                  weights.with_next, with_sides_, joint};
  graph_ = search(task, with_model ? weights.step : StepWeights{}, limits_.beam, *matches_, *coverages_, statistics_,
                  memory.beam);
  if (sparse_) sparse_->use(nullptr);
}

/// How many words a phrase of the phrase search may leave open on its left. In a lattice nothing is known of it.
unsigned SentenceSearch::most_skipped() const {
  if (limits_.beam.phrase_order != PhraseOrder::kMonotone && source_.arcs().size() + 1 != source_.places()) return ~0u;
  switch (limits_.beam.phrase_order) {
    case PhraseOrder::kMonotone:
      return 0;
    case PhraseOrder::kDistortion:
      return limits_.beam.distortion_limit;
    case PhraseOrder::kSwap:
      break;
  }
  unsigned longest = 0;
  for (const Match& match : rules_.matches) longest = std::max(longest, match.span.width());
  return longest;
}

features::RuleFacts SentenceSearch::facts_of_option(std::uint32_t option) {
  const RuleTables tables = model_.tables();
  const std::uint32_t rule = rules_.options[option].rule;
  const RuleTable& table = tables.of(rule);
  const SideView side = table.side(rules_.sides[option]);
  table.symbols(side.node, symbols_);
  reader_.set_side(model_.sparse->lexicon, symbols_, side.gaps);
  return reader_.of(table.rule(rule - tables.offset(table), side));
}

void SentenceSearch::sparse_steps(const Path& path, std::vector<features::SparseStep>& out) const {
  out.clear();
  for_each_step(path, [&](const Step& step) { out.push_back(step.sparse); });
}

void SentenceSearch::words(const Path& path, std::vector<WordId>& out) const {
  out.clear();
  for_each_step(path, [&](const Step& step) {
    const auto target = rules_.target(step.option);
    out.insert(out.end(), target.begin(), target.end());
  });
}

double SentenceSearch::joint_log_prob(const Path& path) const {
  const neural::JointModel& model = *model_.joint;
  JointHistory history;
  double sum = 0;
  const auto take = [&](std::uint32_t position, std::uint32_t word) {
    sum += static_cast<double>(
        model.score(joint_source_->window(position), {history.words.data(), model.shape().history}, word));
    history = history.after(word, model.shape().history);
  };
  for_each_step(path, [&](const Step& step) {
    for (std::size_t i = step.option.words_begin; i < step.option.words_begin + step.option.word_count; ++i)
      take(rules_.joint_positions[i], rules_.joint_words[i]);
  });
  take(static_cast<std::uint32_t>(joint_source_->positions() - 1), neural::kEnd);
  return sum;
}

void SentenceSearch::features(const Path& path, const FeatureLayout& layout, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const auto count = [&](std::size_t feature) -> double& { return out[layout.counted(feature)]; };
  lm::State state = model_.language_model.begin_sentence(), next;
  double lm = 0;
  std::uint32_t tail = kNone;
  Place own = kNowhere;
  const auto count_orientation = [&](FeatureLayout::Counted neighbor, Orientation orientation) {
    if (!with_orientation_ || !is_from_table(tail)) return;
    const auto scores = model_.tables().orientation(tail);  // toward the step before, then the step after
    if (scores.empty()) return;
    const auto which = static_cast<std::size_t>(orientation);
    count(neighbor + which) += static_cast<double>(scores[neighbor == FeatureLayout::kNext ? 3 + which : which]);
  };
  for_each_step(path, [&](const Step& step) {
    const bool glue = step.match.kind != RuleKind::kRule;
    for (WordId word : rules_.lm_target(step.option)) {
      lm += static_cast<double>(model_.language_model.score(state, word, next).log_prob);
      std::swap(state, next);
    }
    count(FeatureLayout::kWords) += step.option.word_count;
    count(FeatureLayout::kRules) += 1;
    count(FeatureLayout::kInsertions) += step.option.unmatched.insertions;
    count(FeatureLayout::kDeletions) += step.option.unmatched.deletions;
    count(FeatureLayout::kBacktrack) += step.distortion;
    count(glue ? FeatureLayout::kDistanceGlue : FeatureLayout::kDistanceRule) += step.distortion;
    count(FeatureLayout::kReordering) += step.match.reordering;
    count(FeatureLayout::kArcs) += static_cast<double>(step.match.arc_scores[0]);
    for (std::size_t kind = 1; layout.with_offers() && kind < kArcKinds; ++kind)
      count(FeatureLayout::kSplit + kind - 1) += static_cast<double>(step.match.arc_scores[kind]);
    if (glue) count(FeatureLayout::kGluePhraseGap + static_cast<std::size_t>(step.match.kind) - 1) += 1;
    count_orientation(FeatureLayout::kNext, step.next);
    own = coverages_->own(step.match);
    tail = step.option.rule;
    count_orientation(FeatureLayout::kPrevious, step.orientation);
    count(FeatureLayout::kUnknown) += tail == kPassedThrough;
    if (!is_from_table(tail)) return;
    const auto scores = model_.tables().scores(tail);
    for (std::size_t i = 0; i < scores.size(); ++i) out[layout.table(i)] += static_cast<double>(scores[i]);
  });
  if (!path.arcs.empty()) {
    const Place end = source_.whole().end;
    const Coverage& last = (*coverages_)[graph_.nodes[graph_.arcs[path.arcs.back()].from].coverage];
    count_orientation(FeatureLayout::kNext, coverages_->next_orientation(last, own, {end, end}));
  }
  lm += static_cast<double>(
      model_.language_model.score(state, model_.language_model.end_of_sentence(), next).log_prob);
  out[layout.language_model()] = lm * std::numbers::ln10;
  if (layout.with_joint()) out[layout.joint()] = joint_log_prob(path);
}

}  // namespace isogloss::search
