#include "metric/reference_ngrams.hpp"

#include <stdexcept>

namespace isogloss::metric {

void ReferenceNgrams::assign(const Segments& references, std::size_t sentence, std::size_t order) {
  const auto [first, last] = references.sequences_of(sentence);
  std::size_t most_ngrams = 0;
  for (std::int64_t r = first; r < last; ++r) most_ngrams += references.tokens(r).size() * order;
  if (most_ngrams > std::size_t{1} << 29)
    throw std::length_error("the references of one sentence are too long");

  index_.reset(most_ngrams);
  entries_.clear();
  order_ = order;
  stamp_ = 0;
  for (std::int64_t r = first; r < last; ++r) count(references.tokens(r));
}

ReferenceNgrams::Number ReferenceNgrams::find_or_add(Number prefix, WordId word) {
  return index_.find_or_add(
      hash(prefix, word), [&](Number number) { return entries_[number].is(prefix, word); },
      [&](Number number) { return hash(entries_[number].prefix, entries_[number].word); },
      [&] { entries_.push_back({prefix, word, 0, 0, 0}); });
}

void ReferenceNgrams::count(std::span<const WordId> reference) {
  const std::uint32_t stamp = next_stamp();
  for (std::size_t start = 0; start < reference.size(); ++start) {
    Number ngram = kRoot;
    for (std::size_t n = 0; n < order_ && start + n < reference.size(); ++n) {
      if (reference[start + n] == kNoWord) break;
      ngram = find_or_add(ngram, reference[start + n]);
      Entry& entry = entries_[ngram];
      // `remaining` counts upward here: this reference's occurrences so far.
      entry.remaining = entry.stamp == stamp ? entry.remaining + 1 : 1;
      entry.stamp = stamp;
      entry.most = std::max(entry.most, entry.remaining);
    }
  }
}

std::uint32_t ReferenceNgrams::next_stamp() {
  if (++stamp_ == 0) {
    for (Entry& entry : entries_) entry.stamp = 0;
    stamp_ = 1;
  }
  return stamp_;
}

}  // namespace isogloss::metric
