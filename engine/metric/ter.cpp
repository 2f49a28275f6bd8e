#include "metric/ter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"

namespace isogloss::metric {
namespace {

constexpr std::size_t kLongestShift = 10, kFarthestShift = 50, kMostShifts = 1000;
constexpr std::int64_t kBeam = 25;
constexpr std::int32_t kFar = 1 << 28;  // a cell outside of the beam

/// Up to this length no cell of the matrix is outside of the beam, and a row fits into a machine word.
constexpr std::size_t kShort = 24;

bool same(WordId a, WordId b) { return a == b && a != kNoWord; }

/// Writes `from` to `to` with `length` items moved from `start` to `target`, a place before the move.
template <class Item>
void move_words(const std::vector<Item>& from, std::size_t start, std::size_t length, std::size_t target,
                std::vector<Item>& to) {
  to.assign(from.begin(), from.end());
  const auto at = [&](std::size_t place) {
    return to.begin() + static_cast<std::ptrdiff_t>(std::min(place, to.size()));
  };
  if (target < start) std::rotate(at(target), at(start), at(start + length));
  else if (target > start + length) std::rotate(at(start), at(start + length), at(target));
  else std::rotate(at(start), at(start + length), at(length + target));
}

}  // namespace

/// All cells of a row at once (Myers 1999, Hyyrö 2003).
void EditRate::State::take(std::uint64_t match, std::uint64_t last) {
  const std::uint64_t zero = (((match & rising) + rising) ^ rising) | match | falling;
  std::uint64_t up = falling | ~(zero | rising), down = rising & zero;
  distance += (up & last) != 0;
  distance -= (down & last) != 0;
  up = up << 1 | 1;
  down <<= 1;
  rising = down | ~(zero | up);
  falling = up & zero;
}

std::int32_t EditRate::edits(std::span<const WordId> candidate, std::span<const WordId> reference) {
  if (reference.empty()) return static_cast<std::int32_t>(candidate.size());
  reference_ = reference;
  words_.assign(candidate.begin(), candidate.end());
  const bool is_short = reference.size() <= kShort;
  if (is_short) find_masks();
  std::int32_t shifts = 0;
  std::size_t checked = 0;
  const std::size_t columns = reference.size() + 1;
  rows_.resize((words_.size() + 1) * columns);
  for (;;) {
    fill_rows(words_, 0, rows_);
    if (is_short) fill_states();
    if (rows_[words_.size() * columns + reference.size()] == 0) break;
    find_alignment();
    const Shift shift = best_shift(checked);
    if (checked >= kMostShifts || !shift.found || shift.gain <= 0) break;
    ++shifts;
    move_words(words_, shift.start, shift.length, shift.target, other_);
    words_.swap(other_);
    if (!is_short) continue;
    move_words(masks_, shift.start, shift.length, shift.target, other_masks_);
    masks_.swap(other_masks_);
  }
  return shifts + rows_[words_.size() * columns + reference.size()];
}

void EditRate::find_masks() {
  masks_.assign(words_.size(), 0);
  for (std::size_t i = 0; i < words_.size(); ++i)
    for (std::size_t j = 0; j < reference_.size(); ++j)
      if (same(words_[i], reference_[j])) masks_[i] |= std::uint64_t{1} << j;
}

void EditRate::fill_states() {
  const std::uint64_t last = std::uint64_t{1} << (reference_.size() - 1);
  states_.assign(1, {~std::uint64_t{0}, 0, static_cast<std::int32_t>(reference_.size())});
  for (const std::uint64_t mask : masks_) {
    states_.push_back(states_.back());
    states_.back().take(mask, last);
  }
}

/// Fills the rows after `first`; rows up to it are known. Only cells near the diagonal take part.
void EditRate::fill_rows(const std::vector<WordId>& words, std::size_t first, std::vector<std::int32_t>& rows) const {
  const std::size_t columns = reference_.size() + 1;
  if (first == 0)
    for (std::size_t j = 0; j < columns; ++j) rows[j] = static_cast<std::int32_t>(j);
  if (words.empty()) return;
  const double ratio = static_cast<double>(reference_.size()) / static_cast<double>(words.size());
  const std::int64_t beam =
      static_cast<double>(kBeam) < ratio / 2 ? static_cast<std::int64_t>(std::ceil(ratio / 2 + kBeam)) : kBeam;
  for (std::size_t i = first + 1; i <= words.size(); ++i) {
    const std::int32_t* const above = rows.data() + (i - 1) * columns;
    std::int32_t* const row = rows.data() + i * columns;
    const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio));
    const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - beam));
    auto end = static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(columns), diagonal + beam));
    if (i == words.size()) end = columns;
    std::fill(row, row + std::min(begin, columns), kFar);
    std::fill(row + end, row + columns, kFar);
    for (std::size_t j = begin; j < end; ++j) {
      if (j == 0) {
        row[0] = above[0] + 1;
        continue;
      }
      const std::int32_t diagonal_cost = above[j - 1] + !same(words[i - 1], reference_[j - 1]);
      row[j] = std::min({diagonal_cost, above[j] + 1, row[j - 1] + 1, kFar});
    }
  }
}

/// Follows the cheapest path back. Of equally cheap steps: a word for a word, then a word too many, then a word missing.
void EditRate::find_alignment() {
  const std::size_t columns = reference_.size() + 1;
  aligned_.assign(reference_.size(), -1);
  wrong_.assign(words_.size(), 0);
  reference_wrong_.assign(reference_.size(), 0);
  std::size_t i = words_.size(), j = reference_.size();
  while (i > 0 || j > 0) {
    const std::int32_t here = rows_[i * columns + j];
    if (i > 0 && j > 0) {
      const bool differs = !same(words_[i - 1], reference_[j - 1]);
      if (here == rows_[(i - 1) * columns + j - 1] + differs) {
        --i;
        --j;
        aligned_[j] = static_cast<std::int32_t>(i);
        wrong_[i] = reference_wrong_[j] = differs;
        continue;
      }
    }
    if (i > 0 && (j == 0 || here == rows_[(i - 1) * columns + j] + 1)) {
      wrong_[--i] = 1;
    } else {
      reference_wrong_[--j] = 1;
      aligned_[j] = static_cast<std::int32_t>(i) - 1;
    }
  }
}

EditRate::Shift EditRate::best_shift(std::size_t& checked) {
  const std::size_t size = words_.size();
  const std::int32_t before = rows_[size * (reference_.size() + 1) + reference_.size()];
  Shift best;
  for (std::size_t start = 0; start < size; ++start) {
    for (std::size_t to = 0; to < reference_.size(); ++to) {
      if ((to > start ? to - start : start - to) > kFarthestShift) continue;
      bool wrong = false, reference_wrong = false;
      for (std::size_t length = 1; length <= kLongestShift; ++length) {
        if (start + length > size || to + length > reference_.size()) break;
        if (!same(words_[start + length - 1], reference_[to + length - 1])) break;
        wrong |= wrong_[start + length - 1] != 0;
        reference_wrong |= reference_wrong_[to + length - 1] != 0;
        if (!wrong || !reference_wrong) continue;
        const std::int64_t there = aligned_[to];
        if (there >= static_cast<std::int64_t>(start) && there < static_cast<std::int64_t>(start + length)) continue;
        std::int64_t last = -1;
        for (std::size_t offset = 0; offset <= length; ++offset) {
          const std::int64_t target = to + offset == 0 ? 0 : std::int64_t{aligned_[to + offset - 1]} + 1;
          if (target == last) continue;
          last = target;
          const auto place = static_cast<std::size_t>(target);
          const std::int32_t gain = before - distance_after(start, length, place);
          ++checked;
          const bool better = !best.found || gain > best.gain ||
                              (gain == best.gain &&
                               (length > best.length ||
                                (length == best.length &&
                                 (start < best.start || (start == best.start && place < best.target)))));
          if (better) best = {gain, start, length, place, true};
        }
        if (checked >= kMostShifts) return best;
      }
    }
  }
  return best;
}

/// The edit distance after a shift. The words before it are as they were, and so are their rows.
std::int32_t EditRate::distance_after(std::size_t start, std::size_t length, std::size_t target) {
  const std::size_t kept = std::min(start, target);
  if (reference_.size() <= kShort) {
    move_words(masks_, start, length, target, other_masks_);
    State state = states_[kept];
    const std::uint64_t last = std::uint64_t{1} << (reference_.size() - 1);
    for (std::size_t i = kept; i < other_masks_.size(); ++i) state.take(other_masks_[i], last);
    return state.distance;
  }
  move_words(words_, start, length, target, other_);
  const std::size_t columns = reference_.size() + 1;
  trial_.resize((other_.size() + 1) * columns);
  std::copy_n(rows_.begin(), (kept + 1) * columns, trial_.begin());
  fill_rows(other_, kept, trial_);
  return trial_[other_.size() * columns + reference_.size()];
}

void ter_statistics(const Segments& candidates, const Segments& references, std::size_t threads, double* rows) {
  std::vector<EditRate> workers(std::clamp<std::size_t>(threads, 1, candidates.sentences() + 1));
  parallel_for(candidates.sentences(), threads, [&](std::size_t sentence, std::size_t worker) {
    const auto [first, last] = candidates.sequences_of(sentence);
    const auto [first_reference, last_reference] = references.sequences_of(sentence);
    for (std::int64_t c = first; c < last; ++c) {
      std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
      double length = 0;
      for (std::int64_t r = first_reference; r < last_reference; ++r) {
        fewest = std::min(fewest, workers[worker].edits(candidates.tokens(c), references.tokens(r)));
        length += static_cast<double>(references.tokens(r).size());
      }
      rows[2 * c] = fewest;
      rows[2 * c + 1] = length / static_cast<double>(last_reference - first_reference);
    }
  });
}

}  // namespace isogloss::metric
