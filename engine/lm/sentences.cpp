#include "lm/sentences.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/parallel.hpp"
#include "text/split.hpp"

namespace isogloss::lm {
namespace {

constexpr std::size_t kChunk = 128;  // sentences that a thread claims at once
constexpr std::size_t kAhead = 8;    // words

/// The words of some sentences, one after another, with what begins and ends a sentence.
struct Batch {
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> lengths;  // words in each sentence
  std::vector<WordId> ids;
  std::vector<std::uint8_t> depths;  // words before it that the model may use

  void read(const Model& model, std::span<const std::string_view> sentences, const SentenceOptions& options);
  void score(const Model& model, const SentenceOptions& options, std::span<SentenceScore> scores) const;
};

void Batch::read(const Model& model, std::span<const std::string_view> sentences, const SentenceOptions& options) {
  hashes.clear();
  lengths.clear();
  for (std::string_view sentence : sentences) {
    const std::size_t before = hashes.size();
    Tokens tokens(sentence);
    for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) {
      hashes.push_back(hash64(word));
      model.prefetch_word(hashes.back());
    }
    lengths.push_back(hashes.size() - before);
  }
  ids.clear();
  depths.clear();
  const std::uint64_t* hash = hashes.data();
  for (std::size_t length : lengths) {
    std::size_t depth = 0;
    const auto push = [&](WordId id) {
      ids.push_back(id);
      depths.push_back(static_cast<std::uint8_t>(depth));
      if (depth + 1 < model.order()) ++depth;
    };
    if (options.begin) push(model.begin_sentence().words[0]);
    for (std::size_t i = 0; i < length; ++i) push(model.find_hash(*hash++));
    if (options.end) push(model.end_of_sentence());
  }
}

void Batch::score(const Model& model, const SentenceOptions& options, std::span<SentenceScore> scores) const {
  std::array<Model::Keys, kAhead> keys;
  const auto prepare = [&](std::size_t i) {
    if (i < ids.size()) model.prepare(&ids[i], depths[i], keys[i % kAhead]);
  };
  for (std::size_t i = 0; i < kAhead; ++i) prepare(i);
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::array<State, 2> states;
    if (options.begin) {
      prepare(at++ + kAhead);
      states[at % 2] = model.begin_sentence();
    }
    SentenceScore sum;
    const std::size_t end = at + lengths[i] + (options.end ? 1 : 0);
    sum.words = static_cast<std::uint32_t>(end - at);
    for (; at < end; ++at) {
      const WordId word = ids[at];
      const WordScore scored = model.score(states[at % 2], word, states[(at + 1) % 2], keys[at % kAhead]);
      prepare(at + kAhead);
      sum.log_prob += static_cast<double>(scored.log_prob);
      if (word == model.unknown()) {
        sum.unknown_log_prob += static_cast<double>(scored.log_prob);
        ++sum.unknown;
      }
    }
    scores[i] = sum;
  }
}

}  // namespace

void score_sentences(const Model& model, std::span<const std::string_view> sentences,
                     const SentenceOptions& options, std::size_t threads, std::span<SentenceScore> scores) {
  parallel_for((sentences.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk, std::size_t) {
    thread_local Batch batch;
    const std::size_t first = chunk * kChunk;
    batch.read(model, sentences.subspan(first, std::min(kChunk, sentences.size() - first)), options);
    batch.score(model, options, scores.subspan(first));
  });
}

std::vector<ScoredWord> score_words(const Model& model, std::string_view sentence, const SentenceOptions& options) {
  std::vector<ScoredWord> scored;
  State state = options.begin ? model.begin_sentence() : State{};
  State next;
  const auto add = [&](WordId word) {
    scored.push_back({word, model.score(state, word, next)});
    std::swap(state, next);
  };
  Tokens tokens(sentence);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) add(model.find(word));
  if (options.end) add(model.end_of_sentence());
  return scored;
}

}  // namespace isogloss::lm
