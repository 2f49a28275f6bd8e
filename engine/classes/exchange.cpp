#include "classes/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace isogloss::classes {
namespace {

constexpr std::uint64_t kTableSize = 1 << 17;

std::int64_t n_log_n(std::uint64_t count) {
  if (count < 2) return 0;
  const double n = static_cast<double>(count);
  return std::llround(n * std::log2(n) * ExchangeClustering::kStepsPerBit);
}

}  // namespace

ExchangeClustering::ExchangeClustering(std::shared_ptr<const UnitBigrams> bigrams, std::uint32_t classes,
                                       std::span<const std::uint32_t> initial)
    : bigrams_(std::move(bigrams)), classes_(classes), width_(std::size_t{classes} + 1) {
  if (classes < 1 || classes > kMostClasses)
    throw std::invalid_argument("exchange: between 1 and " + std::to_string(kMostClasses) + " classes");
  if (initial.size() != units()) throw std::invalid_argument("exchange: one class for every unit is needed");
  for (std::uint32_t c : initial)
    if (c >= classes) throw std::invalid_argument("exchange: class " + std::to_string(c) + " is too large");
  class_of_.assign(initial.begin(), initial.end());
  class_of_.push_back(static_cast<ClassId>(classes));

  table_.resize(std::min(bigrams_->total + 1, kTableSize));
  for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = n_log_n(n);

  class_counts_.assign(width_, 0);
  for (std::uint32_t unit = 0; unit <= units(); ++unit) class_counts_[class_of_[unit]] += bigrams_->counts[unit];
  for (Matrix* matrix : {&after_, &before_}) {
    matrix->counts.assign(width_ * width_, 0);
    matrix->terms.assign(width_ * width_, 0);
  }
  for (std::uint32_t unit = 0; unit <= units(); ++unit)
    for (const Neighbor& next : bigrams_->after.of(unit)) {
      const std::size_t c = class_of_[unit], d = class_of_[next.unit];
      after_.counts[c * width_ + d] += next.count;
      before_.counts[d * width_ + c] += next.count;
    }
  for (Matrix* matrix : {&after_, &before_})
    std::transform(matrix->counts.begin(), matrix->counts.end(), matrix->terms.begin(),
                   [this](std::uint32_t count) { return f(count); });
  for (Histogram* histogram : {&following_, &preceding_}) histogram->counts.assign(width_, 0);
  gains_.assign(width_, 0);
  likelihood_ = recomputed_likelihood();
}

std::int64_t ExchangeClustering::f(std::uint64_t count) const {
  return count < table_.size() ? table_[count] : n_log_n(count);
}

std::int64_t ExchangeClustering::recomputed_likelihood() const {
  std::vector<std::uint64_t> pairs(width_ * width_, 0), singles(width_, 0);
  std::int64_t sum = 0;
  for (std::uint32_t unit = 0; unit <= units(); ++unit) {
    singles[class_of_[unit]] += bigrams_->counts[unit];
    sum += n_log_n(bigrams_->counts[unit]);
    for (const Neighbor& next : bigrams_->after.of(unit))
      pairs[class_of_[unit] * width_ + class_of_[next.unit]] += next.count;
  }
  for (std::uint64_t count : pairs) sum += n_log_n(count);
  for (std::uint64_t count : singles) sum -= 2 * n_log_n(count);
  return sum;
}

void ExchangeClustering::collect(std::uint32_t unit, const Neighbors& side, Histogram& histogram) {
  for (ClassId c : histogram.present) histogram.counts[c] = 0;
  histogram.present.clear();
  std::uint32_t with_itself = 0;
  for (const Neighbor& neighbor : side.of(unit)) {
    if (neighbor.unit == unit) {
      with_itself += neighbor.count;
      continue;
    }
    const ClassId c = class_of_[neighbor.unit];
    if (histogram.counts[c] == 0) histogram.present.push_back(c);
    histogram.counts[c] += neighbor.count;
  }
  with_itself_ = with_itself;
}

void ExchangeClustering::collect(std::uint32_t unit) {
  collect(unit, bigrams_->after, following_);
  collect(unit, bigrams_->before, preceding_);
}

void ExchangeClustering::change(Matrix& matrix, std::size_t cell, std::uint32_t difference) {
  matrix.counts[cell] += difference;  // modulo 2^32: a negative difference subtracts
  matrix.terms[cell] = f(matrix.counts[cell]);
}

// Puts the unit into the class, or takes it out.
template <bool kInsert>
void ExchangeClustering::apply(std::uint32_t unit, std::uint32_t target) {
  const auto change_pair = [&](std::size_t c, std::size_t d, std::uint32_t count) {
    const std::uint32_t difference = kInsert ? count : 0u - count;
    change(after_, c * width_ + d, difference);
    change(before_, d * width_ + c, difference);
  };
  for (ClassId c : following_.present) change_pair(target, c, following_.counts[c]);
  for (ClassId c : preceding_.present) change_pair(c, target, preceding_.counts[c]);
  if (with_itself_ > 0) change_pair(target, target, with_itself_);
  class_counts_[target] += kInsert ? bigrams_->counts[unit] : 0 - bigrams_->counts[unit];
}

void ExchangeClustering::add_row_gains(const Matrix& matrix, const Histogram& histogram) {
  const std::int64_t* const table = table_.data();
  const std::size_t table_size = table_.size();
  for (ClassId c : histogram.present) {
    const std::uint32_t* const counts = matrix.counts.data() + c * width_;
    const std::int64_t* const terms = matrix.terms.data() + c * width_;
    const std::uint32_t more = histogram.counts[c];
    for (std::size_t d = 0; d < classes_; ++d) {
      const std::uint32_t count = counts[d] + more;
      gains_[d] += (count < table_size ? table[count] : n_log_n(count)) - terms[d];
    }
  }
}

// What inserting the unit into each class would add, the unit being in none.
void ExchangeClustering::compute_gains(std::uint32_t unit) {
  for (std::size_t d = 0; d < classes_; ++d)
    gains_[d] = -2 * (f(class_counts_[d] + bigrams_->counts[unit]) - f(class_counts_[d]));
  add_row_gains(before_, following_);
  add_row_gains(after_, preceding_);
  // The pair (d, d) gets what follows, what precedes and the unit after itself all at once.
  for (std::size_t d = 0; d < classes_; ++d) {
    const std::uint32_t follow = following_.counts[d], precede = preceding_.counts[d];
    if ((follow == 0 || precede == 0) && with_itself_ == 0) continue;
    const std::uint32_t count = after_.counts[d * width_ + d];
    gains_[d] += f(std::uint64_t{count} + follow + precede + with_itself_) + f(count);
    gains_[d] -= f(std::uint64_t{count} + follow) + f(std::uint64_t{count} + precede);
  }
}

std::size_t ExchangeClustering::exchange(std::uint32_t begin, std::uint32_t end) {
  std::size_t moved = 0;
  for (std::uint32_t unit = begin; unit < std::min(end, units()); ++unit) {
    const std::uint32_t home = class_of_[unit];
    collect(unit);
    apply<false>(unit, home);
    compute_gains(unit);
    std::uint32_t best = home;
    for (std::uint32_t d = 0; d < classes_; ++d)
      if (gains_[d] > gains_[best]) best = d;
    apply<true>(unit, best);
    if (best == home) continue;
    likelihood_ += gains_[best] - gains_[home];
    class_of_[unit] = static_cast<ClassId>(best);
    ++moved;
  }
  return moved;
}

std::int64_t ExchangeClustering::gain(std::uint32_t unit, std::uint32_t target) {
  if (unit >= units() || target >= classes_) throw std::invalid_argument("exchange: no such unit or class");
  collect(unit);
  apply<false>(unit, class_of_[unit]);
  compute_gains(unit);
  apply<true>(unit, class_of_[unit]);
  return gains_[target] - gains_[class_of_[unit]];
}

}  // namespace isogloss::classes
