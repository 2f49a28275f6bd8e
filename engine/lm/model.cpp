#include "lm/model.hpp"

#include <stdexcept>
#include <string>

namespace isogloss::lm {
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

void Model::prepare(const WordId* word, unsigned context, Keys& keys) const {
  std::uint64_t key = extend_left(kNoWords, *word);
  for (unsigned i = 0; i < context; ++i) {
    keys[i] = key = extend_left(key, *--word);
    if (i + 2 == order_) return longest_.prefetch(key);
    middle_[i].prefetch(key);
  }
}

Extension Model::extend(std::span<const WordId> ngram, float prob, std::span<const WordId> context) const {
  Extension found;
  found.prob = prob;
  if (!extends_left(prob)) return found;
  std::uint64_t key = kNoWords;
  for (std::size_t i = ngram.size(); i-- > 0;) key = extend_left(key, ngram[i]);
  while (found.used < context.size() && extends_left(found.prob)) {
    key = extend_left(key, context[found.used]);
    const std::size_t order = ngram.size() + found.used + 1;
    if (order >= order_) {
      if (const float* longest = longest_.find(key)) found.prob = *longest, ++found.used;
      break;
    }
    const Weights* longer = middle_[order - 2].find(key);
    if (longer == nullptr) break;
    found.prob = longer->prob;
    found.backoffs[found.used++] = longer->backoff;
    if (needed_on_the_right(longer->backoff)) found.needed = found.used;
  }
  return found;
}

}  // namespace isogloss::lm
