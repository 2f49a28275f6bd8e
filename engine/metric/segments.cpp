#include "metric/segments.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace isogloss::metric {
namespace {

void check_rising(std::span<const std::int64_t> offsets, std::size_t end, std::int64_t longest,
                   const std::string& what) {
  if (offsets.empty()) throw std::invalid_argument(what + " offsets: empty, at least one is needed");
  if (offsets.front() < 0) throw std::invalid_argument(what + " offsets: the first is negative");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const std::int64_t length = offsets[i] - offsets[i - 1];
    if (offsets[i] < offsets[i - 1] || length > longest)
      throw std::invalid_argument(what + " offsets: number " + std::to_string(i) + " is " +
                                  std::to_string(offsets[i]) + " after " + std::to_string(offsets[i - 1]));
  }
  if (static_cast<std::uint64_t>(offsets.back()) > end)
    throw std::invalid_argument(what + " offsets: the last is " + std::to_string(offsets.back()) +
                                ", past the end at " + std::to_string(end));
}

void check_side(const Segments& side, const std::string& name) {
  check_rising(side.offsets, side.ids.size(), std::numeric_limits<std::int32_t>::max(), name);
  check_rising(side.sentence_offsets, side.sequences(), std::numeric_limits<std::int64_t>::max(),
                name + " sentence");
}

}  // namespace

void check_segments(const Segments& candidates, const Segments& references) {
  check_side(candidates, "hypothesis");
  check_side(references, "reference");
  if (candidates.sentences() != references.sentences())
    throw std::invalid_argument("hypotheses for " + std::to_string(candidates.sentences()) +
                                " sentences but references for " + std::to_string(references.sentences()));
  for (std::size_t i = 0; i < candidates.sentences(); ++i)
    if (candidates.sentence_offsets[i] != candidates.sentence_offsets[i + 1] &&
        references.sentence_offsets[i] == references.sentence_offsets[i + 1])
      throw std::invalid_argument("sentence " + std::to_string(i) + " (counted from 0) has no reference");
}

}  // namespace isogloss::metric
