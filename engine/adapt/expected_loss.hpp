// What local training by expectation makes small: a loss of the probabilities that weights give to candidates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isogloss::adapt {

/// A loss of the candidates' probabilities. `offsets` are the candidates of each example, `strengths` how much an
/// example counts; those of strength 0 may have any probabilities.
class ExpectedLoss {
 public:
  virtual ~ExpectedLoss() = default;
  virtual std::size_t rows() const = 0;  ///< candidates that it knows

  /// The loss, and in `slopes` how fast it rises with the probability of each candidate.
  virtual double at(std::span<const std::int64_t> offsets, std::span<const double> strengths,
                    std::span<const double> probabilities, std::span<double> slopes) const = 0;
};

/// Σ_j strength_j Σ_n error_jn·p_jn: the error to expect of each example (Liu et al. 2012, eq. 6).
class ExpectedError : public ExpectedLoss {
 public:
  explicit ExpectedError(std::span<const double> errors) : errors_(errors) {}
  std::size_t rows() const override { return errors_.size(); }
  double at(std::span<const std::int64_t> offsets, std::span<const double> strengths,
            std::span<const double> probabilities, std::span<double> slopes) const override;

 private:
  std::span<const double> errors_;
};

/// −(Σ_j strength_j)·BLEU of the statistics to expect of all examples together, each counted by its strength over the
/// mean: a text has one length and one brevity penalty, so that no example asks for a length of its own. One is added
/// to all counts above single words, as in sentence BLEU, which matters little where there are many examples; the edge of
/// the brevity penalty is blurred a little.
class ExpectedBleu : public ExpectedLoss {
 public:
  /// `statistics` has bleu_columns(order) numbers per candidate (metric/bleu.hpp).
  ExpectedBleu(std::span<const std::int32_t> statistics, std::size_t order);
  std::size_t rows() const override;
  double at(std::span<const std::int64_t> offsets, std::span<const double> strengths,
            std::span<const double> probabilities, std::span<double> slopes) const override;

 private:
  std::span<const std::int32_t> statistics_;
  std::size_t order_;
};

}  // namespace isogloss::adapt
