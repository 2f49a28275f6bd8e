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

}  // namespace isogloss::lm
