#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "align/cooccurrence.hpp"
#include "align/lexical_estimation.hpp"
#include "align/parameters.hpp"
#include "align/position_prior.hpp"
#include "align/posteriors.hpp"
#include "base/buffer.hpp"

namespace isogloss::align {

/// How an M-step makes probabilities from counts.
struct MaximizeOptions {
  /// Dirichlet prior on the lexical distributions, per entry; their variational Bayes estimate makes rare
  /// words stop collecting what others leave over. 0 is maximum likelihood.
  double lexical_prior = 0;
  /// Jumps added to the observed ones, distributed as at the start.
  double jump_prior = 0;
};

/// Expectation-maximization for alignment models of both directions at once.
///
/// With a *symmetric* lexicon (Zens, Matusov & Ney 2004) both directions share one set of counts, the mean of
/// their posteriors: each learns from the other, and half the memory is enough. Without it each direction is
/// plain EM, whose likelihood never falls.
///
/// Lexical counts are whole numbers, and position counts are added up in corpus order, so results depend
/// neither on threads nor on shards. A shard of a corpus is a trainer of its own: it takes the
/// probabilities and parameters of the whole (`resume`), and gives its counts.
class AlignmentTrainer {
 public:
  /// Forward and backward.
  using BothPositions = std::array<PositionCounts, 2>;

  /// `table` must be complete and outlive this.
  AlignmentTrainer(const Cooccurrence& table, const AlignmentParameters& parameters, bool symmetric);

  /// For each source word the target word that is the same string, or kNoWord. Names, numbers and
  /// punctuation often stay as they are: each such pair starts every M-step with `count` links already seen.
  void expect_twins(std::span<const WordId> twins, double count);

  /// Goes on with another model; the lexical probabilities stay.
  void set_type(AlignmentModelType type);

  /// E-step over the pairs [begin, end).
  void expect(std::size_t begin, std::size_t end, std::size_t threads);

  /// What `expect` has gathered since the last M-step. Backward counts are those of direction 1, or of 0 with
  /// a symmetric lexicon.
  std::span<const std::int64_t> counts(std::size_t direction) const {
    return {counts_[direction].data(), counts_[direction].size()};
  }
  std::vector<std::int64_t> column_sums(std::size_t threads) const;
  std::span<const BothPositions> positions() const { return positions_; }

  /// Fast model: for each pair of lengths, in the order of first appearance, the masses of the target's and
  /// then of the source's positions.
  struct Masses {
    Buffer<std::uint32_t> source_lengths, target_lengths;
    Buffer<double> masses;
  };
  Masses masses() const;

  /// Adds what shards have gathered, in their order. Throws std::invalid_argument unless there is a mass for
  /// each position.
  void add_positions(std::span<const BothPositions> positions);
  void add_masses(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths,
                  std::span<const double> masses);

  /// Goes on as part of a larger corpus: with its probabilities of this table's entries, its shares of words
  /// and its scale of counts.
  void resume(std::span<const float> probabilities, std::span<const float> source_null,
              std::span<const float> target_null, CountScale scale);

  /// M-step from what was gathered since the last one. Returns the log likelihood of each direction under
  /// the parameters before it.
  std::array<double, 2> maximize(const MaximizeOptions& options, std::size_t threads);

  const AlignmentParameters& parameters() const { return parameters_; }

  /// Probability of each word under the empty word: its share of the corpus.
  std::span<const float> source_null() const { return source_null_; }
  std::span<const float> target_null() const { return target_null_; }

  /// A table of the entries with a probability of at least `threshold` in one direction or the other.
  struct Lexicon {
    Buffer<std::uint64_t> row_offsets;
    Buffer<WordId> columns;
    Buffer<float> probabilities;  ///< two per entry, as LexicalTable has them
  };
  Lexicon lexicon(double threshold) const;

 private:
  struct Worker;

  void pair_posteriors(std::size_t pair, const JumpTables& jumps, std::uint64_t batch_begin, Worker& worker,
                       BothPositions& positions);
  void add_lexical_counts(std::size_t begin, std::size_t end, std::size_t threads);
  void add_position_mass(std::size_t begin, std::size_t end);
  void index_positions();
  std::uint32_t find_size_class(std::size_t source_length, std::size_t target_length);
  void maximize_lexicon(double prior, std::size_t threads);

  const Cooccurrence& table_;
  AlignmentParameters parameters_;
  bool symmetric_;
  std::vector<float> source_null_, target_null_;
  std::vector<std::uint32_t> column_sizes_;
  std::vector<std::uint64_t> twin_entries_;
  CountScale scale_;
  std::int64_t twin_count_ = 0;
  Buffer<float> probabilities_;
  std::array<Buffer<std::int64_t>, 2> counts_;
  std::vector<BothPositions> positions_;  // of some pairs each, in corpus order

  // Of the batch at hand: a posterior for every cell, and the entry of every cell if the table does not
  // keep them.
  std::array<std::vector<float>, 2> shares_;
  std::vector<std::uint32_t> entries_;

  // Fast model: pairs of the same two lengths share their positions' masses. These are sums of multiples of
  // 2^-24, so they are exact in any order.
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> size_classes_;
  std::vector<std::uint32_t> size_class_;
  std::array<std::vector<std::size_t>, 2> first_mass_;
  std::array<std::vector<PositionMass>, 2> masses_;
  std::vector<float> partnered_;  // of the batch: one value for each target word, then for each source word
};

}  // namespace isogloss::align
