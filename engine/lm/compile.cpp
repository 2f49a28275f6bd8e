#include "lm/compile.hpp"

#include <bit>
#include <stdexcept>

#include "base/hash.hpp"

namespace isogloss::lm {
namespace {

/// Calls `visit(key, entry)` for the kept ones.
template <class Visit>
void for_each_kept(const Trie& trie, unsigned order, std::size_t begin, std::size_t end, Visit&& visit) {
  if (begin >= end) return;
  TrieCursor cursor(trie, order, begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) cursor.advance();
    if (trie.kept(order, i)) visit(cursor.key(), i);
  }
}

template <class Bucket>
void insert_new(TableBuilder<Bucket>& table, std::uint64_t key, typename Bucket::Value value) {
  if (!table.insert(key, value).second) throw std::length_error("two n-grams have the same 64-bit key");
}

}  // namespace

TableBuilder<WordBucket> index_words(const text::Vocabulary& vocabulary) {
  TableBuilder<WordBucket> index(vocabulary.size(), kWordLoad);
  for (WordId id = 0; id < vocabulary.size(); ++id)
    if (!index.insert(hash64(vocabulary.word(id)), id).second)
      throw std::length_error("two words have the same 64-bit hash");
  return index;
}

void compile_unigrams(const Trie& trie, std::span<const float> log_probs, std::span<const float> backoffs,
                      std::span<Weights> unigrams) {
  for (std::size_t word = 0; word < unigrams.size(); ++word) {
    if (trie.kept(1, word))
      unigrams[word] = {stored_prob(log_probs[word], trie.extends_left(1, word)),
                        backoffs.empty() ? -0.0f : backoffs[word]};
    else
      unigrams[word] = {std::bit_cast<float>(kAbsentBits), -0.0f};
  }
}

void compile_middle(const Trie& trie, unsigned order, std::span<const float> log_probs,
                    std::span<const float> backoffs, std::size_t begin, std::size_t end,
                    TableBuilder<MiddleBucket>& table) {
  for_each_kept(trie, order, begin, end, [&](std::uint64_t key, std::size_t i) {
    insert_new(table, key, {stored_prob(log_probs[i], trie.extends_left(order, i)), backoffs[i]});
  });
}

void compile_longest(const Trie& trie, std::span<const float> log_probs, std::size_t begin, std::size_t end,
                     TableBuilder<LongestBucket>& table) {
  for_each_kept(trie, trie.order(), begin, end, [&](std::uint64_t key, std::size_t i) {
    insert_new(table, key, stored_prob(log_probs[i], false));
  });
}

}  // namespace isogloss::lm
