#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "classes/bigrams.hpp"

namespace isogloss::classes {

using ClassId = std::uint16_t;
inline constexpr std::uint32_t kMostClasses = 4096;

/// Exchange clustering (Kneser & Ney 1993; Martin, Liermann & Ney 1998): words are moved between classes,
/// each to the class that gives the corpus the highest likelihood under the class bigram model
///
///     p(w | v) = p(class(w) | class(v)) p(w | class(w))
///
/// whose maximum-likelihood value over the corpus is, with f(n) = n log n,
///
///     sum over class pairs of f(N(c,d))  -  2 sum over classes of f(N(c))  +  sum over words of f(N(w)).
///
/// The sentence boundary has a class of its own, the last. Likelihoods are kept in fixed point: sums are
/// exact in any order, so the change of a move is the difference of two likelihoods to the last bit, a pass
/// can never lower it, and ties are ties. Several clusterings may share one corpus, each on its own thread.
class ExchangeClustering {
 public:
  /// Fixed-point steps in one bit (log to the base 2).
  static constexpr double kStepsPerBit = 1 << 24;

  /// Starts from the given class of every unit but the boundary. Throws std::invalid_argument if
  /// `classes` is 0 or above kMostClasses, or if the classes given do not fit.
  ExchangeClustering(std::shared_ptr<const UnitBigrams> bigrams, std::uint32_t classes,
                     std::span<const std::uint32_t> initial);

  /// Moves every unit in [begin, end) once, in order, to its best class; returns how many changed theirs.
  /// A unit stays where it is unless another class is truly better; among equals the first is taken.
  /// O(classes x different neighbor classes + neighbors) per unit.
  std::size_t exchange(std::uint32_t begin, std::uint32_t end);

  /// The log-likelihood of the corpus in fixed-point bits, kept up to date move by move.
  std::int64_t likelihood() const { return likelihood_; }

  /// The same, computed afresh from the bigrams and classes alone.
  std::int64_t recomputed_likelihood() const;

  /// What moving the unit to the class would add to `likelihood()`; nothing is changed.
  std::int64_t gain(std::uint32_t unit, std::uint32_t target);

  /// The class of each unit, without the boundary.
  std::span<const ClassId> class_of() const { return {class_of_.data(), class_of_.size() - 1}; }

  std::uint64_t total() const { return bigrams_->total; }
  std::uint32_t units() const { return bigrams_->boundary(); }
  std::uint32_t classes() const { return classes_; }

 private:
  /// How often a unit stands before (or after) each class, the unit itself left out.
  struct Histogram {
    std::vector<std::uint32_t> counts;  // by class; zero except for those listed
    std::vector<ClassId> present;
  };

  /// The pairs (row, column), counts and f(counts). Kept in both orientations, for the evaluation to run
  /// along rows.
  struct Matrix {
    std::vector<std::uint32_t> counts;
    std::vector<std::int64_t> terms;
  };

  std::int64_t f(std::uint64_t count) const;
  void collect(std::uint32_t unit, const Neighbors& side, Histogram& histogram);
  void collect(std::uint32_t unit);
  void change(Matrix& matrix, std::size_t cell, std::uint32_t difference);
  template <bool kInsert>
  void apply(std::uint32_t unit, std::uint32_t target);
  void add_row_gains(const Matrix& matrix, const Histogram& histogram);
  void compute_gains(std::uint32_t unit);

  std::shared_ptr<const UnitBigrams> bigrams_;
  std::uint32_t classes_;
  std::size_t width_;  // classes and the boundary's
  std::vector<ClassId> class_of_;
  std::vector<std::uint64_t> class_counts_;
  Matrix after_;   // [c][d]: c, then d
  Matrix before_;  // [d][c]: c, then d
  std::vector<std::int64_t> table_;  // f of small counts
  std::int64_t likelihood_ = 0;

  // Of the unit being looked at.
  Histogram following_, preceding_;
  std::uint32_t with_itself_ = 0;
  std::vector<std::int64_t> gains_;  // of inserting it, by class
};

}  // namespace isogloss::classes
