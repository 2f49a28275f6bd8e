// Translation edit rate (Snover et al. 2006) with the limits of sacreBLEU, whose numbers it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/word.hpp"

#include "metric/segments.hpp"

namespace isogloss::metric {

/// Edits that turn a candidate into a reference: insertions, deletions, substitutions, and shifts of several words.
/// The shifts are found greedily, as Tercom does. Keeps its memory from call to call. For one thread.
class EditRate {
 public:
  /// Number of edits. kNoWord is no word: it matches nothing.
  std::int32_t edits(std::span<const WordId> candidate, std::span<const WordId> reference);

 private:
  struct Shift {
    std::int32_t gain = 0;
    std::size_t start = 0, length = 0, target = 0;
    bool found = false;
  };

  void find_alignment();
  Shift best_shift(std::size_t& checked);
  std::int32_t distance_after(std::size_t start, std::size_t length, std::size_t target);
  void fill_rows(const std::vector<WordId>& words, std::size_t first, std::vector<std::int32_t>& rows) const;
  void find_masks();
  void fill_states();

  std::span<const WordId> reference_;
  std::vector<WordId> words_, other_;          // of the candidate after the shifts so far, and of a trial
  std::vector<std::int32_t> rows_, trial_;     // matrices of edit distances
  std::vector<std::int32_t> aligned_;          // by reference word: the candidate word it is aligned to, -1 before all
  std::vector<std::uint8_t> wrong_, reference_wrong_;

  /// A row of the matrix for a short reference: differences of neighbors in bits, and the last cell.
  struct State {
    std::uint64_t rising, falling;
    std::int32_t distance;

    void take(std::uint64_t match, std::uint64_t last);
  };
  std::vector<std::uint64_t> masks_, other_masks_;  // by candidate word: where it stands in a short reference
  std::vector<State> states_;                       // after each prefix of the candidate
};

/// Writes two numbers per candidate: the fewest edits to any reference, and the mean length of the references. Both
/// sides must have passed check_segments. Deterministic whatever `threads` is.
void ter_statistics(const Segments& candidates, const Segments& references, std::size_t threads, double* rows);

}  // namespace isogloss::metric
