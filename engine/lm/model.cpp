#include "lm/model.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace isogloss::lm {
namespace {

bool extends_left(float prob) { return !std::signbit(prob); }

bool needed_on_the_right(float backoff) { return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u; }

}  // namespace

Model::Model(const ModelArrays& arrays)
    : order_(arrays.order),
      end_(arrays.end),
      unknown_(arrays.unknown),
      unigrams_(arrays.unigrams),
      longest_(arrays.longest),
      index_(arrays.words) {
  if (order_ < 1 || order_ > kMaxOrder)
    throw std::invalid_argument("order " + std::to_string(order_) + " is not between 1 and " +
                                std::to_string(kMaxOrder));
  for (WordId special : {arrays.begin, end_, unknown_})
    if (special >= unigrams_.size())
      throw std::invalid_argument("a special word has number " + std::to_string(special) + " of " +
                                  std::to_string(unigrams_.size()));
  for (unsigned i = 0; i + 2 < order_; ++i) middle_[i] = Table<MiddleBucket>(arrays.middle[i]);
  begin_state_.words.fill(0);
  begin_state_.backoffs.fill(0);
  begin_state_.words[0] = arrays.begin;
  begin_state_.backoffs[0] = unigrams_[arrays.begin].backoff;
  begin_state_.length = order_ > 1 && needed_on_the_right(begin_state_.backoffs[0]) ? 1 : 0;
}

WordScore Model::score(const State& state, WordId word, State& next) const {
  if (word >= unigrams_.size()) word = unknown_;
  const Weights* found = &unigrams_[word];
  if (absent(*found)) [[unlikely]] {
    word = unknown_;
    found = &unigrams_[word];
  }
  const unsigned context = std::min<unsigned>(state.length, order_ - 1);
  float log_prob = found->prob;
  next.words[0] = word;
  next.backoffs[0] = found->backoff;
  next.length = order_ > 1 && needed_on_the_right(found->backoff) ? 1 : 0;
  unsigned matched = 1;
  std::uint64_t key = extend_left(kNoWords, word);
  while (matched <= context && extends_left(log_prob)) {
    key = extend_left(key, state.words[matched - 1]);
    if (matched + 1 == order_) {
      if (const float* prob = longest_.find(key)) {
        log_prob = -std::abs(*prob);
        ++matched;
      }
      break;
    }
    found = middle_[matched - 1].find(key);
    if (found == nullptr) break;
    log_prob = found->prob;
    next.words[matched] = state.words[matched - 1];
    next.backoffs[matched] = found->backoff;
    ++matched;
    if (needed_on_the_right(found->backoff)) next.length = static_cast<std::uint8_t>(matched);
  }
  const bool open = matched == context + 1u && matched < order_ && extends_left(log_prob);
  log_prob = -std::abs(log_prob);
  for (unsigned i = matched - 1; i < context; ++i) log_prob += state.backoffs[i];
  return {log_prob, static_cast<std::uint8_t>(matched), open};
}

void Model::prefetch(WordId word, const WordId* context, unsigned length) const {
  std::uint64_t key = extend_left(kNoWords, word);
  for (unsigned i = 0; i < length; ++i) {
    key = extend_left(key, context[i]);
    if (i + 2 == order_) return longest_.prefetch(key);
    middle_[i].prefetch(key);
  }
}

}  // namespace isogloss::lm
