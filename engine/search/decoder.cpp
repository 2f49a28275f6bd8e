#include "search/decoder.hpp"

#include <algorithm>
#include <numbers>

namespace isogloss::search {

Translation::Translation(const DecoderModel& model, const DecoderOptions& options, const SearchWeights& weights,
                         Source source, std::span<const std::string> words,
                         const features::SparseWeights* sparse, Aim* aim)
    : model_(model), limits_(options), source_(std::move(source)) {
  limits_.beam.orientation = weights.orientation;
  if (model_.sparse != nullptr && sparse != nullptr) {
    sparse_ = std::make_unique<features::SparseScorer>(*model_.sparse);
    sparse_->use(sparse);
    std::vector<WordId> numbers(words.size(), kNoWord);
    for (const SourceArc& arc : source_.arcs()) numbers[arc.token] = arc.word;
    sparse_->set_sentence(words, numbers);
    limits_.beam.orientation |= sparse_->needs(features::Template::kTurn);
  }
  Collector collector(model_.tables(), model_.language_model, model_.lm_words, weights.rule, limits_.collector,
                      sparse_.get(), aim, model_.lexicon);
  collector.collect(source_, rules_);
  estimates_.emplace(source_, rules_);
  matches_.emplace(source_, rules_, limits_.matches);
  contexts_.emplace(*estimates_);
  const bool with_model = aim == nullptr || aim->with_model();
  const features::SparseWeights no_sparse_weights{};
  if (sparse_ && !with_model) sparse_->use(&no_sparse_weights);
  const Task task{source_, rules_, *estimates_, model_.language_model, sparse_.get(), aim};
  graph_ = search(task, with_model ? weights.step : StepWeights{}, limits_.beam, *matches_, *contexts_, statistics_);
  if (sparse_) sparse_->use(nullptr);
}

void Translation::sparse_steps(const Path& path, std::vector<features::SparseStep>& out) const {
  out.clear();
  for_each_step(path, [&](const Step& step) { out.push_back(step.sparse); });
}

void Translation::words(const Path& path, std::vector<WordId>& out) const {
  out.clear();
  for_each_step(path, [&](const Step& step) {
    const auto target = rules_.target(step.option);
    out.insert(out.end(), target.begin(), target.end());
  });
}

void Translation::features(const Path& path, const FeatureLayout& layout, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const auto count = [&](std::size_t feature) -> double& { return out[layout.counted(feature)]; };
  lm::State state = model_.language_model.begin_sentence(), next;
  double lm = 0;
  std::uint32_t tail = kNone;
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
    count(FeatureLayout::kBacktrack) += step.jump;
    count(glue ? FeatureLayout::kDistanceGlue : FeatureLayout::kDistanceRule) += step.jump;
    count(FeatureLayout::kReordering) += step.match.reordering;
    count(FeatureLayout::kArcs) += static_cast<double>(step.match.arc_score);
    if (glue) count(FeatureLayout::kGluePhraseGap + static_cast<std::size_t>(step.match.kind) - 1) += 1;
    const auto turn = static_cast<std::size_t>(step.turn);
    if (limits_.beam.orientation && is_from_table(tail)) {
      const auto orientation = model_.tables().orientation(tail);
      if (!orientation.empty()) count(FeatureLayout::kNext + turn) += static_cast<double>(orientation[3 + turn]);
    }
    tail = step.option.rule;
    count(FeatureLayout::kUnknown) += tail == kPassedThrough;
    if (!is_from_table(tail)) return;
    const auto scores = model_.tables().scores(tail);
    for (std::size_t i = 0; i < scores.size(); ++i) out[layout.table(i)] += static_cast<double>(scores[i]);
    const auto orientation = model_.tables().orientation(tail);
    if (limits_.beam.orientation && !orientation.empty())
      count(FeatureLayout::kPrevious + turn) += static_cast<double>(orientation[turn]);
  });
  const std::uint32_t last = path.arcs.empty() ? kNone : path.arcs.back();
  if (last != kNone && limits_.beam.orientation && is_from_table(tail)) {
    const Place end = source_.whole().end;
    const auto context = (*contexts_)[graph_.nodes[graph_.arcs[last].from].context];
    const auto turn = static_cast<std::size_t>(contexts_->turn(context.blocks, {end, end}));
    const auto orientation = model_.tables().orientation(tail);
    if (!orientation.empty()) count(FeatureLayout::kNext + turn) += static_cast<double>(orientation[3 + turn]);
  }
  lm += static_cast<double>(
      model_.language_model.score(state, model_.language_model.end_of_sentence(), next).log_prob);
  out[layout.language_model()] = lm * std::numbers::ln10;
}

}  // namespace isogloss::search
