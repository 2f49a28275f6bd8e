// Examples found by the words they share with a query: exact, without looking at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "adapt/edit_distance.hpp"
#include "base/buffer.hpp"
#include "base/word.hpp"

namespace isogloss::adapt {

/// The arrays of an index, in memory or mapped. What is read from them is checked where it is used.
struct IndexView {
  std::span<const std::int64_t> offsets;          ///< words of example i: `words[offsets[i]]` up to the next
  std::span<const WordId> words;
  std::span<const double> norms;                  ///< length of each example's tf·idf vector
  std::span<const std::int64_t> posting_offsets;  ///< by word, one more than there are words
  std::span<const std::uint32_t> postings;        ///< examples with the word, rising
  std::span<const float> posting_weights;         ///< tf·idf of the word there, divided by the example's norm
  std::span<const float> largest_weights;         ///< by word: the largest of its posting weights

  std::size_t examples() const { return norms.size(); }
  std::size_t vocabulary() const { return largest_weights.size(); }
};

/// What `index_examples` computes.
struct IndexColumns {
  Buffer<double> norms;
  Buffer<std::int64_t> posting_offsets;
  Buffer<std::uint32_t> postings;
  Buffer<float> posting_weights, largest_weights;
};

/// The index of sentences of words, given the idf of each word. Throws std::invalid_argument for offsets that
/// do not fit, words that do not exist, or more than 2^32 - 2 examples.
IndexColumns index_examples(std::span<const std::int64_t> offsets, std::span<const WordId> words,
                            std::span<const double> idf);

/// A sentence to look for. Its different words are its terms, numbered in order of appearance.
struct Query {
  std::span<const std::uint16_t> tokens;  ///< terms, in the order of the sentence; at most kMostTerms of them differ
  std::span<const WordId> words;          ///< the index's word for each term, kNoWord if it has none
  std::span<const double> idf;            ///< of each term
};
inline constexpr std::size_t kMostTerms = 0xfffe;

/// Which examples count, and how many are wanted.
struct SearchLimits {
  std::size_t most = 100;
  double edit_share = 0.1;       ///< θ: share of the edit distance in the similarity, the rest is the cosine's
  double at_least = 0;           ///< smallest similarity
  bool skip_identical = false;   ///< leave out examples with the very words of the query
  std::span<const std::uint8_t> skip;  ///< if not empty: not 0 for each example to leave out
  std::span<const std::uint32_t> documents;  ///< if not empty: document of each example
  std::uint32_t skip_document = 0;           ///< its examples are left out, if there are documents
  std::span<const std::int64_t> dates;       ///< if not empty: date of each example
  std::int64_t before = std::numeric_limits<std::int64_t>::max();  ///< later dates and this one are left out
};

struct Found {
  double similarity;
  std::uint32_t example;
};

/// θ·(1 − distance / longer length) + (1 − θ)·cosine of tf·idf vectors, best first; of equals the later example
/// is the better one. An example of similarity 0 is never found. Storage is kept from call to call: one per thread.
///
/// Words are taken in order of what they can contribute for each example that has them, so rare words come first, and
/// examples are gathered from their posting lists, until no example that has only the remaining words can still be good
/// enough. Then the gathered ones whose upper bound suffices are scored exactly. The edit part is bounded by the number
/// of words in common, so it has bounds by word like the cosine, and by the lengths. What a gathered example can still
/// gain is bounded by Cauchy and Schwarz: both vectors are of length 1, and part of that is used up. The mark to beat is
/// the exact score of the most promising examples so far. Cost: the posting lists of the rarer words; frequent words are
/// mostly looked up in examples.
class Retrieval {
 public:
  /// The examples that satisfy the limits. Throws std::out_of_range if the index leads outside itself.
  std::vector<Found> search(const IndexView& index, const Query& query, const SearchLimits& limits);

  /// The exact similarity of one example.
  double similarity(const IndexView& index, const Query& query, double edit_share, std::uint32_t example);

 private:
  struct Term {
    std::uint16_t number;
    std::size_t postings;
    float weight;        // in the query's unit vector, times the share of the cosine
    float cosine_bound;  // the most that it can add to a similarity by the cosine
    float edit_bound;    // and by the edit distance

    float bound() const { return cosine_bound + edit_bound; }
  };
  struct Weight {        // of a gathered example, from the terms that were added
    float cosine = 0;    // exactly; 0 if not gathered, negative if left out
    float edit = 0;      // at most

    float sum() const { return cosine + edit; }
  };
  struct Left {          // in the terms that were not added: bounds, and squared lengths of the query's vector
    float cosine = 0, edit = 0;
    double square = 0, square_done = 0;
  };

  std::vector<Found> search_unguarded(const IndexView& index, const Query& query, const SearchLimits& limits);
  void prepare(const IndexView& index, const Query& query, double edit_share);
  void finish();
  void gather(const Term& term, bool may_enter);
  void raise_floor();
  void drop_hopeless(const Left& left);
  bool too_long_or_short(std::uint32_t example) const;
  bool skipped(std::uint32_t example);
  bool identical(std::uint32_t example) const;
  std::span<const std::uint16_t> read(std::uint32_t example);
  double cosine(std::uint32_t example) const;
  double exact(double by_cosine);
  void consider(std::uint32_t example);

  const IndexView* index_ = nullptr;
  const Query* query_ = nullptr;
  const SearchLimits* limits_ = nullptr;
  double edit_share_ = 0, query_norm_ = 0;
  bool filtered_ = false;
  EditDistance distance_;
  std::vector<std::uint16_t> term_of_word_;  // of the index's vocabulary; kForeign outside the query
  std::vector<std::uint32_t> in_query_;      // how often, by term
  std::vector<Term> terms_;
  std::vector<Weight> weights_;              // by example
  std::vector<std::uint32_t> gathered_;
  std::vector<std::uint32_t> hopeful_;       // those of them that can still be good enough
  float floor_ = 0;                          // what is below it is not good enough
  std::vector<std::uint16_t> text_;          // the example being looked at, as terms
  std::vector<std::uint32_t> in_example_;
  std::uint32_t common_ = 0;                 // words it shares with the query
  std::vector<Found> best_;                  // a heap, the worst on top
};

}  // namespace isogloss::adapt
