#include "lm/sentences.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "lm/white_space.hpp"

namespace isogloss::lm {
namespace {

constexpr std::size_t kChunk = 256;      // sentences that a thread claims at once
constexpr std::size_t kPrefetchAhead = 3;  // words

}  // namespace

void SentenceScorer::read(std::string_view sentence) {
  hashes_.clear();
  for_each_word(sentence, [&](std::string_view word) {
    const std::uint64_t hash = hash64(word);
    model_.prefetch_word(hash);
    hashes_.push_back(hash);
  });
  // Newest first, as states have it, so that the context of word i starts right behind it.
  const std::size_t words = hashes_.size() + (options_.end ? 1 : 0);
  ids_.resize(words + kMaxOrder);
  WordId* next = ids_.data() + words;
  *next = model_.begin_sentence().words[0];
  for (std::uint64_t hash : hashes_) *--next = model_.find_hash(hash);
  if (options_.end) *--next = model_.end_of_sentence();
}

SentenceScore SentenceScorer::score(std::string_view sentence) {
  read(sentence);
  SentenceScore sum;
  const std::size_t words = hashes_.size() + (options_.end ? 1 : 0);
  const std::size_t before = options_.begin ? 1 : 0;
  const auto prefetch = [&](std::size_t i) {
    if (i >= words) return;
    const WordId* word = ids_.data() + (words - 1 - i);
    model_.prefetch(*word, word + 1, static_cast<unsigned>(std::min<std::size_t>(i + before, model_.order() - 1)));
  };
  for (std::size_t i = 0; i < kPrefetchAhead; ++i) prefetch(i);
  State state = options_.begin ? model_.begin_sentence() : State{};
  State next;
  for (std::size_t i = 0; i < words; ++i) {
    prefetch(i + kPrefetchAhead);
    const WordId word = ids_[words - 1 - i];
    const double log_prob = static_cast<double>(model_.score(state, word, next).log_prob);
    sum.log_prob += log_prob;
    if (word == model_.unknown()) {
      sum.unknown_log_prob += log_prob;
      ++sum.unknown;
    }
    std::swap(state, next);
  }
  sum.words = static_cast<std::uint32_t>(words);
  return sum;
}

void SentenceScorer::score_words(std::string_view sentence, std::vector<WordScore>& scores,
                                 std::vector<WordId>& ids) {
  read(sentence);
  State state = options_.begin ? model_.begin_sentence() : State{};
  State next;
  for (std::size_t i = hashes_.size() + (options_.end ? 1 : 0); i-- > 0;) {
    scores.push_back(model_.score(state, ids_[i], next));
    ids.push_back(ids_[i]);
    std::swap(state, next);
  }
}

void score_sentences(const Model& model, std::span<const std::string_view> sentences,
                     const SentenceOptions& options, std::size_t threads, std::span<SentenceScore> scores) {
  parallel_for((sentences.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk, std::size_t) {
    SentenceScorer scorer(model, options);
    const std::size_t end = std::min(sentences.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) scores[i] = scorer.score(sentences[i]);
  });
}

}  // namespace isogloss::lm
