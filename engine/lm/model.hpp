// Querying a back-off language model.
//
// For authors of a search:
//
// 1. Words are numbers of the model's vocabulary. Anything else, kNoWord included, is the unknown word. A
//    vocabulary of your own is turned into the model's numbers once, when rules are collected (`find`).
// 2. A hypothesis holds a `State`. The first one starts from `begin_sentence()`; `State{}` is independent of
//    the left context.
// 3. `score(state, word, next)` is log10 P(word | state) and the state after it. Add the scores, end with
//    `score(state, end_of_sentence(), next)`.
// 4. A state holds only the words that can still matter. Two hypotheses whose states are equal get the same
//    scores for ever after, so recombine on `==` and `hash()`; length 0 is common and fine.
// 5. A phrase is scored once without context and then joined to many hypotheses: lm/phrase.hpp.
// 6. `open` in a score tells that an n-gram of the model begins before the words it was given and ends with
//    them: more words on the left may change it. A score that is not open can still change, by back-off
//    weights only, as long as the state it was scored in had as many words as there were.
//
// A model is a view of arrays, usually of mapped files: cheap to copy, shared by any number of threads. The
// arrays may be damaged: scores are then wrong, but no query reads outside of them or runs on for ever.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.hpp"
#include "base/word.hpp"
#include "lm/ngram_hash.hpp"
#include "lm/table.hpp"

namespace isogloss::lm {

/// Weights of an n-gram, log10. Two facts hide in signs that log probabilities do not need:
/// `prob` is stored positive if a longer n-gram of the model ends with this one, and `backoff` is -0.0 if
/// nothing in the model begins with this one (then it weighs nothing and no state needs it).
struct Weights {
  float prob;
  float backoff;
};

/// The `prob` of a word that has a number but is not in the model. All such words are the unknown word.
inline constexpr std::uint32_t kAbsentBits = 0x7fc00000;  // a NaN

using MiddleBucket = Bucket<Weights, 4>;
struct LongestBucket : Bucket<float, 5> {};
struct WordBucket : Bucket<WordId, 5> {};

/// What was seen to the left, as far as the model can use it.
struct State {
  std::array<WordId, kMaxOrder - 1> words;    ///< the last word first
  std::array<float, kMaxOrder - 1> backoffs;  ///< of the n-grams that the first 1, 2, … words form
  std::uint8_t length = 0;                    ///< how many of them count

  friend bool operator==(const State& a, const State& b) {
    if (a.length != b.length) return false;
    for (unsigned i = 0; i < a.length; ++i)
      if (a.words[i] != b.words[i]) return false;
    return true;
  }

  std::uint64_t hash() const {
    std::uint64_t h = length;
    for (unsigned i = 0; i < length; ++i) h = combine64(h, words[i]);
    return h;
  }
};

struct WordScore {
  float log_prob;        ///< log10 P(word | state)
  std::uint8_t matched;  ///< words in the longest n-gram found, the scored word included
  bool open;             ///< more words on the left could have made it longer
};

/// An n-gram with words of a context before it, as far as the model has that.
struct Extension {
  float prob = 0;       ///< of the longest n-gram found, as the model stores it
  unsigned used = 0;    ///< words of the context in it
  unsigned needed = 0;  ///< of these, how many can still matter for words that follow
  std::array<float, kMaxOrder - 1> backoffs;  ///< of the n-grams with 1, 2, … words of the context
};

/// The stored arrays of a model, as views.
struct ModelArrays {
  unsigned order = 0;
  WordId begin = kNoWord, end = kNoWord, unknown = kNoWord;
  std::span<const Weights> unigrams;                                ///< by word number
  std::array<std::span<const MiddleBucket>, kMaxOrder - 2> middle;  ///< of orders 2 to order - 1
  std::span<const LongestBucket> longest;                           ///< of the highest order, if above 1
  std::span<const WordBucket> words;                                ///< from a word's hash to its number
};

class Model {
 public:
  /// Throws std::invalid_argument if order or special words do not fit the arrays.
  explicit Model(const ModelArrays& arrays);

  unsigned order() const { return order_; }
  std::size_t words() const { return unigrams_.size(); }
  WordId end_of_sentence() const { return end_; }
  WordId unknown() const { return unknown_; }
  const State& begin_sentence() const { return begin_state_; }

  /// The number of a word, that of the unknown word if the model does not have it.
  WordId find(std::string_view word) const { return find_hash(hash64(word)); }
  WordId find_hash(std::uint64_t hash) const {
    const WordId* id = index_.find(hash);
    return id == nullptr ? unknown_ : index(*id);
  }
  void prefetch_word(std::uint64_t hash) const { index_.prefetch(hash); }

  /// Whether the model holds the word; false for the unknown word itself.
  bool known(WordId word) const { return index(word) != unknown_; }

  /// `word`, or the unknown word if the model does not hold it.
  WordId index(WordId word) const {
    return word < unigrams_.size() && !absent(unigrams_[word]) ? word : unknown_;
  }

  /// log10 P(word | state). `next` must be another object than `state`.
  WordScore score(const State& state, WordId word, State& next) const {
    word = index(word);
    std::uint64_t key = extend_left(kNoWords, word);
    return score_by(state, word, next, [&](unsigned i) { return key = extend_left(key, state.words[i]); });
  }

  /// The keys of the n-grams of 2, 3, … words that end with a word.
  using Keys = std::array<std::uint64_t, kMaxOrder - 1>;

  /// Finds the keys of the n-grams that end with `*word` and reach back over up to `context` words before
  /// it in a text, and asks the memory for them. All of these must be in the model (`index`).
  void prepare(const WordId* word, unsigned context, Keys& keys) const;

  /// The same as without keys, which must be those of `word` and the words of `state`.
  WordScore score(const State& state, WordId word, State& next, const Keys& keys) const {
    return score_by(state, word, next, [&](unsigned i) { return keys[i]; });
  }

  /// Goes on to the left of an n-gram that the model has, with `prob` as it is stored: `context` are the words before
  /// it, the last first. All words must be in the model (`index`).
  Extension extend(std::span<const WordId> ngram, float prob, std::span<const WordId> context) const;

 private:
  static bool absent(const Weights& weights) { return weights.prob != weights.prob; }
  static bool extends_left(float prob) { return !std::signbit(prob); }
  static bool needed_on_the_right(float backoff) {
    return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u;
  }

  /// `key_of(i)` is the key of i + 2 words; it is called for i = 0, 1, … in turn.
  template <class KeyOf>
  WordScore score_by(const State& state, WordId word, State& next, KeyOf&& key_of) const;

  unsigned order_;
  WordId end_, unknown_;
  std::span<const Weights> unigrams_;
  std::array<Table<MiddleBucket>, kMaxOrder - 2> middle_;
  Table<LongestBucket> longest_;
  Table<WordBucket> index_;
  State begin_state_;
};

template <class KeyOf>
inline WordScore Model::score_by(const State& state, WordId word, State& next, KeyOf&& key_of) const {
  const Weights unigram = unigrams_[word];
  const unsigned context = state.length;
  float prob = unigram.prob;
  next.words[0] = word;
  next.backoffs[0] = unigram.backoff;
  unsigned length = needed_on_the_right(unigram.backoff) ? 1 : 0;
  unsigned matched = 1;
  for (; matched <= context && extends_left(prob); ++matched) {
    const std::uint64_t key = key_of(matched - 1);
    if (matched + 1 == order_) {
      if (const float* found = longest_.find(key)) {
        prob = *found;
        ++matched;
      }
      break;
    }
    const Weights* found = middle_[matched - 1].find(key);
    if (found == nullptr) break;
    prob = found->prob;
    next.words[matched] = state.words[matched - 1];
    next.backoffs[matched] = found->backoff;
    if (needed_on_the_right(found->backoff)) length = matched + 1;
  }
  next.length = static_cast<std::uint8_t>(length);
  WordScore result{-std::abs(prob), static_cast<std::uint8_t>(matched),
                   matched > context && extends_left(prob)};
  for (unsigned i = matched - 1; i < context; ++i) result.log_prob += state.backoffs[i];
  return result;
}

}  // namespace isogloss::lm
