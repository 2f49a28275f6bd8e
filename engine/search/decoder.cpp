#include "search/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/hash.hpp"
#include "base/parallel.hpp"

namespace isogloss::search {
namespace {

/// The search adds up in single precision; where that decided the order, it is put right.
void rank_by_final_score(const SentenceSearch& search, const Constraint& constraint, std::vector<Path>& paths,
                         std::vector<double>& scores) {
  std::vector<double> found;
  std::vector<WordId> words;
  for (const Path& path : paths) {
    search.words(path, words);
    for (WordId& word : words) word = constraint.number(word);
    found.push_back(constraint.final_score(words));
  }
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return found[a] > found[b]; });
  std::vector<Path> ranked;
  for (std::size_t i : order) {
    ranked.push_back(std::move(paths[i]));
    scores.push_back(found[i]);
  }
  paths = std::move(ranked);
}

}  // namespace

struct Decoder::Call {
  const BatchRequest& request;
  WeightSnapshot weights;
  std::uint32_t remembered;  // the version under which ranked rules are kept, 0 if they are not

  Deadline deadline(std::size_t sentence) const {
    constexpr double kAges = 1e9;
    if (request.time_limits.empty() || !(request.time_limits[sentence] < kAges)) return {};
    const std::chrono::duration<double> limit(request.time_limits[sentence]);
    return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(limit));
  }
};

Decoder::Decoder(const DecoderModels& models, const DecoderOptions& options)
    : wording_(models.source_words, models.target_words, options.unknown_mark),
      input_maker_(models.source_words, models.target_words, models.language_model),
      layout_(models.table.columns(), options.with_offers, models.joint != nullptr),
      model_{models.table, models.language_model, {}, models.sparse, models.overlay, models.lexicon,
             models.joint},
      options_(options.search) {
  if (models.column_names.size() != layout_.table_columns())
    throw std::invalid_argument("one name for each column of the rule table is expected");
  if (models.overlay != nullptr && models.overlay->columns() != models.table.columns())
    throw std::invalid_argument("an overlay needs the columns of the rule table");
  if (models.sparse != nullptr && !models.sparse->lexicon.fits(models.source_words, models.target_words))
    throw std::invalid_argument("sparse features need the words of the rule table, or of its overlay");
  names_ = layout_.names(models.column_names);
  for (WordId word = 0; word < models.target_words.size(); ++word)
    lm_words_.push_back(models.language_model.find(models.target_words.word(word)));
  model_.lm_words = lm_words_;
  if (models.joint != nullptr)
    for (WordId word = 0; word < models.target_words.size(); ++word)
      joint_words_.push_back(models.joint->target_number(models.target_words.word(word)));
  model_.joint_words = joint_words_;
  options_.beam.distortion_limit = options_.matches.distortion_limit;
  if (models.sparse != nullptr) {
    std::size_t rules = models.table.rule_count();
    if (models.overlay != nullptr) rules += models.overlay->rule_count();
    rule_memory_ = std::make_unique<features::RuleMemory>(rules);
  }
  set_weights(std::vector<double>(layout_.size(), 0.0));
}

void Decoder::set_weights(std::span<const double> dense, std::shared_ptr<const features::WeightSource> sparse) {
  if (sparse != nullptr && model_.sparse == nullptr)
    throw std::invalid_argument("this search has no sparse features");
  weights_.set(dense, SearchWeights(layout_, dense), std::move(sparse));
}

std::vector<TranslatedSentence> Decoder::translate(std::vector<Input> inputs, const BatchRequest& request) const {
  if (!request.time_limits.empty() && request.time_limits.size() != inputs.size())
    throw std::invalid_argument("one time limit for each source is expected");
  if (request.constraint != nullptr && request.constraint->references.size() != inputs.size())
    throw std::invalid_argument("references for each source are expected");
  Call call{request, weights_.snapshot(), 0};
  // Weights of a sentence's own come once; what others remember is worth more.
  if (inputs.size() > 1 || !call.weights.first) call.remembered = call.weights.version;
  std::vector<TranslatedSentence> out(inputs.size());
  parallel_for(inputs.size(), request.threads,
               [&](std::size_t i, std::size_t) { out[i] = translate(std::move(inputs[i]), i, call); });
  for (const TranslatedSentence& sentence : out)
    if (!std::ranges::all_of(sentence.scores, [](double score) { return std::isfinite(score); })) throw ScoreError();
  return out;
}

TranslatedSentence Decoder::translate(Input input, std::size_t number, const Call& call) const {
  const BatchRequest& request = call.request;
  std::unique_ptr<Constraint> constraint;
  if (request.constraint != nullptr) constraint = request.constraint->of(number, input, wording_);
  SearchOptions options = options_;
  options.beam.deadline = call.deadline(number);
  TranslatedSentence out;
  KeptSearch& kept = out.kept;
  kept.search = search(input, options, call, constraint.get());
  kept.paths = best_paths(*kept.search, input, request, options.beam.deadline);
  out.statistics = kept.search->statistics();
  if (kept.paths.empty() && request.fallback && constraint == nullptr) {
    // From left to right there always is a translation.
    const Deadline deadline = options.beam.deadline;
    options = options_;
    options.beam.deadline = deadline;
    options.matches.hierarchical = false;
    options.beam.phrase_order = PhraseOrder::kMonotone;
    kept.search = search(input, options, call, nullptr);
    BatchRequest one = request;
    one.nbest = 1;
    kept.paths = best_paths(*kept.search, input, one, {});
    if (kept.paths.empty()) throw ScoreError();
    out.statistics += kept.search->statistics();
  }
  kept.input = std::move(input);
  describe(request, constraint.get(), out);
  if (!request.keep) {
    kept.search.reset();
    kept.paths = {};
  }
  return out;
}

std::unique_ptr<SentenceSearch> Decoder::search(const Input& input, const SearchOptions& options, const Call& call,
                                                Constraint* constraint) const {
  auto memory = borrow_memory(call.remembered);
  memory->search.rules.sides.begin_sentence(call.remembered);
  const features::SparseWeights sparse{call.weights.sparse.view, call.weights.version, rule_memory_.get(),
                                       memory->sparse.get()};
  auto found = std::make_unique<SentenceSearch>(model_, options, *call.weights.dense,
                                                Source(input.places, input.arcs, input.fixed), memory->search,
                                                input.words, model_.sparse == nullptr ? nullptr : &sparse, constraint);
  give_back(std::move(memory));
  return found;
}

std::vector<Path> Decoder::best_paths(const SentenceSearch& search, const Input& input, const BatchRequest& request,
                                      Deadline deadline) const {
  std::vector<Path> paths;
  const auto take_from = [&](auto&& best) {
    Path path;
    while (paths.size() < request.nbest && best.next(path)) {
      paths.push_back(path);
      if (deadline.passed()) break;
    }
  };
  if (request.nbest == 1 || !request.distinct) {
    take_from(KBest(search.graph()));
  } else {
    take_from(DistinctKBest(search.graph(), [&](std::uint64_t prefix, std::uint32_t option) {
      for (WordId word : search.options().target(search.options().options[option]))
        prefix = combine64(prefix, wording_.reading(input, word));
      return prefix;
    }));
  }
  return paths;
}

void Decoder::describe(const BatchRequest& request, const Constraint* constraint, TranslatedSentence& out) const {
  const SentenceSearch& search = *out.kept.search;
  std::vector<Path>& paths = out.kept.paths;
  if (constraint != nullptr && !constraint->with_model()) {
    rank_by_final_score(search, *constraint, paths, out.scores);
  } else {
    for (const Path& path : paths) out.scores.push_back(static_cast<double>(path.score));
  }
  out.features.resize(paths.size() * layout_.size());
  std::span<double> row(out.features);
  for (const Path& path : paths) {
    search.words(path, out.words.emplace_back());
    search.features(path, layout_, row.first(layout_.size()));
    row = row.subspan(layout_.size());
    if (request.derivations) out.derivations.push_back(derivation_of(search, path));
  }
}

std::unique_ptr<Decoder::ThreadMemory> Decoder::borrow_memory(std::uint32_t version) const {
  {
    const std::lock_guard<std::mutex> guard(memories_lock_);
    auto found = std::ranges::find(memories_, version, &ThreadMemory::version);
    // Other weights than those of the last calls: what was remembered of these makes room.
    if (found == memories_.end() && version != 0)
      found = std::ranges::find_if(memories_, [](const auto& memory) { return memory->version != 0; });
    if (found != memories_.end()) {
      auto memory = std::move(*found);
      memories_.erase(found);
      memory->version = version;
      return memory;
    }
  }
  std::unique_ptr<features::ThreadScores> sparse;
  if (model_.sparse != nullptr) sparse = std::make_unique<features::ThreadScores>();
  return std::make_unique<ThreadMemory>(
      ThreadMemory{version, {{model_.lexicon, options_.collector.lexical_threshold}, {}}, std::move(sparse)});
}

void Decoder::give_back(std::unique_ptr<ThreadMemory> memory) const {
  const std::lock_guard<std::mutex> guard(memories_lock_);
  memories_.push_back(std::move(memory));
}

}  // namespace isogloss::search
