#include "lm/sentences.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/parallel.hpp"
#include "text/split.hpp"

namespace isogloss::lm {
namespace {

constexpr std::size_t kChunk = 128;  // sentences that a thread claims at once
constexpr std::size_t kAhead = 8;    // words

/// One bit, the highest, in each byte that is whitespace.
std::uint64_t spaces(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x80 * kOnes;
  const std::uint64_t low = bytes & ~kHigh;
  const std::uint64_t control = (low + (0x80 - '\t') * kOnes) & ~(low + (0x7f - '\r') * kOnes);
  const std::uint64_t other = (low ^ ' ' * kOnes) + 0x7f * kOnes;  // high bit clear for blanks only
  return (control | ~other) & ~bytes & kHigh;
}

/// hash64 of a word of 1 to 7 bytes, the first of them lowest.
std::uint64_t hash_short(std::uint64_t bytes, unsigned length) {
  return mix64(combine64(0x2545f4914f6cdd1dULL ^ (length * 0x9e3779b97f4a7c15ULL), bytes));
}

/// Calls `visit(hash)` with the hash64 of each word. Most words are shorter than eight bytes: one load
/// shows where such a word ends, and is all of it.
template <class Visit>
void for_each_hash(std::string_view text, Visit&& visit) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (std::endian::native == std::endian::little && end - at >= 8) {
    if (text::is_space(*at)) {
      ++at;
      continue;
    }
    std::uint64_t bytes;
    std::memcpy(&bytes, at, 8);
    const std::uint64_t found = spaces(bytes);
    if (found == 0) {
      const char* stop = at + 8;
      while (stop < end && !text::is_space(*stop)) ++stop;
      visit(hash64({at, static_cast<std::size_t>(stop - at)}));
      at = stop;
      continue;
    }
    const unsigned length = static_cast<unsigned>(std::countr_zero(found)) / 8;
    visit(hash_short(bytes & ((std::uint64_t{1} << 8 * length) - 1), length));
    at += length + 1;
  }
  text::Tokens tokens({at, static_cast<std::size_t>(end - at)});
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) visit(hash64(word));
}

/// The words of some sentences, consecutively, with what begins and ends a sentence.
struct Batch {
  std::vector<std::uint64_t> hashes;
  std::vector<std::size_t> lengths;  // words in each sentence
  std::vector<WordId> ids;
  std::vector<std::uint8_t> depths;  // words before it that the model may use

  void read(const Model& model, std::span<const std::string_view> sentences, const SentenceOptions& options);
  void score(const Model& model, const SentenceOptions& options, std::span<SentenceScore> scores) const;
};

void Batch::read(const Model& model, std::span<const std::string_view> sentences,
                 const SentenceOptions& options) {
  hashes.clear();
  lengths.clear();
  for (std::string_view sentence : sentences) {
    const std::size_t before = hashes.size();
    for_each_hash(sentence, [&](std::uint64_t hash) {
      hashes.push_back(hash);
      model.prefetch_word(hash);
    });
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

std::vector<ScoredWord> score_words(const Model& model, std::string_view sentence,
                                    const SentenceOptions& options) {
  std::vector<ScoredWord> scored;
  State state = options.begin ? model.begin_sentence() : State{};
  State next;
  const auto add = [&](WordId word) {
    scored.push_back({word, model.score(state, word, next)});
    std::swap(state, next);
  };
  text::Tokens tokens(sentence);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) add(model.find(word));
  if (options.end) add(model.end_of_sentence());
  return scored;
}

}  // namespace isogloss::lm
