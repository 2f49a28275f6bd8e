#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/cooccurrence.hpp"
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
/// Every count is added up in corpus order by one thread, so results do not depend on their number.
class AlignmentTrainer {
 public:
  /// `table` must be complete and outlive this.
  AlignmentTrainer(const Cooccurrence& table, const AlignmentParameters& parameters, bool symmetric);

  /// For each source word the target word that is the same string, or kNoWord. Names, numbers and
  /// punctuation often stay as they are: each such pair starts every M-step with `count` links already seen.
  void expect_twins(std::span<const WordId> twins, double count);

  /// Goes on with another model; the lexical probabilities stay.
  void set_type(AlignmentModelType type);

  /// E-step over the pairs [begin, end).
  void expect(std::size_t begin, std::size_t end, std::size_t threads);

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
  struct Chunk;

  void pair_posteriors(std::size_t pair, const JumpTables& jumps, std::uint64_t batch_begin, Worker& worker,
                       Chunk& chunk);
  void add_lexical_counts(std::size_t begin, std::size_t end, std::size_t threads);
  void add_position_mass(std::size_t begin, std::size_t end);
  void index_positions();
  void maximize_lexicon(double prior, std::size_t threads);

  const Cooccurrence& table_;
  AlignmentParameters parameters_;
  bool symmetric_;
  std::vector<float> source_null_, target_null_;
  std::vector<std::uint32_t> column_sizes_;
  std::vector<std::uint64_t> twin_entries_;
  double twin_count_ = 0;
  Buffer<float> probabilities_;
  std::array<Buffer<double>, 2> counts_;
  std::array<PositionCounts, 2> positions_;

  // Of the batch at hand: a posterior for every cell, and the entry of every cell if the table does not
  // keep them.
  std::array<std::vector<float>, 2> shares_;
  std::vector<std::uint32_t> entries_;

  // Fast model: pairs of the same two lengths share their positions' masses.
  std::vector<std::uint32_t> size_class_;
  std::array<std::vector<std::size_t>, 2> first_mass_;
  std::array<std::vector<PositionMass>, 2> masses_;
  std::vector<float> partnered_;  // of the batch: one value for each target word, then for each source word
};

}  // namespace isogloss::align
