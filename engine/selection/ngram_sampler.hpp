// Sentences of a corpus that are like the sentences of a small text, found in one pass over the corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::selection {

/// A sentence of the corpus that was chosen.
struct Choice {
  std::uint64_t sentence;  ///< counted from 0 in the order in which sentences came
  std::uint32_t depth;     ///< the smallest coverage with which it would have been chosen
  double precision;        ///< its highest n-gram precision against a sentence of the text it was chosen for
  double worth;            ///< sum over the n-grams it was chosen for of 1 / number of sentences that have the n-gram
};

/// For every sentence q of a text and every n-gram of q, chooses the `coverage` sentences of a corpus that have the
/// n-gram and are most precise against q; of equally precise ones the earlier.
///
/// That is what one gets by taking sentences by falling precision as long as an n-gram of q has been taken less than
/// `coverage` times: until then every sentence that has the n-gram is taken. So a heap for each n-gram of each q is
/// all that has to be kept, and the corpus can be of any size.
///
/// The precision of t against q is the mean over n = 1 … `order` of the share of t's n-grams that q has, each counted
/// at most as often as q has it; t without n-grams of a length has a share of 0 there. It is computed in whole numbers:
/// exactly, for sentences of up to 36 words.
///
///     add_text …, feed …, chosen
///
/// The sentences of the text are dealt to shards, which never share anything: the result does not depend on threads.
class NgramSampler {
 public:
  /// Throws std::invalid_argument if a number is 0 or the order above kMostOrder.
  NgramSampler(unsigned order, std::uint32_t coverage);

  /// A sentence to find others for; sentences with the same words count once. Not after the first `feed`.
  void add_text(std::string_view sentence);

  /// The next sentences of the corpus.
  void feed(std::span<const std::string_view> sentences, std::size_t threads);

  /// What was chosen so far, by ascending id.
  std::vector<Choice> chosen() const;

  std::uint64_t sentences() const { return sentences_; }
  std::uint64_t words() const { return words_; }
  /// Sentences of the text that have words; from the first `feed` on, different ones.
  std::size_t texts() const { return texts_.size(); }
  /// By length less 1: different n-grams of the text, and those of them that the corpus has.
  std::vector<std::size_t> ngrams() const;
  std::vector<std::size_t> found() const;

  static constexpr unsigned kMostOrder = 9;

 private:
  using Ngram = std::uint32_t;
  struct Key {
    Ngram prefix;
    WordId word;
    std::uint64_t hash() const { return mix64(std::uint64_t{prefix} << 32 | word); }
    bool operator==(const Key&) const = default;
  };
  struct Count {
    Ngram ngram;
    std::uint32_t count;
  };
  struct Line {
    std::vector<Count> counts;  // of the n-grams that the text has
    std::size_t words = 0;
  };
  struct Candidate {
    std::uint64_t precision;
    std::uint64_t sentence;
  };
  struct Posting {
    std::uint32_t text;   // within the shard
    std::uint32_t count;  // of the n-gram in it
  };
  struct Shard {
    std::vector<std::size_t> offsets;          // by n-gram, one more than there are
    std::vector<Posting> postings;
    std::vector<std::uint64_t> marks;          // beside the postings: the precision that must be surpassed
    std::vector<std::vector<Candidate>> heaps; // beside the postings, the worst on top
    std::vector<std::uint64_t> precisions;     // by text, of the sentence being looked at
    std::vector<std::uint32_t> touched;
  };

  Ngram add_ngram(Ngram prefix, WordId word);
  void read(std::string_view sentence, Line& line) const;
  void make_shards();
  void offer(Shard& shard, const Line& line, std::uint64_t sentence) const;

  unsigned order_;
  std::uint32_t coverage_;
  text::Vocabulary vocabulary_;                      // of the text
  Interner<Key> ngrams_;
  std::vector<std::uint8_t> lengths_;          // of each n-gram
  std::vector<std::uint64_t> seen_;            // sentences of the corpus that have it
  std::vector<std::vector<Count>> texts_;
  std::vector<std::vector<WordId>> text_words_;  // beside them, until equal ones have been joined
  std::vector<Shard> shards_;
  std::vector<Line> lines_;
  std::uint64_t sentences_ = 0;
  std::uint64_t words_ = 0;
};

}  // namespace isogloss::selection
