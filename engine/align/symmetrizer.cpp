#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "align/links.hpp"

namespace isogloss::align {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 28;  // two sentences of 16,000 words

}  // namespace

void Symmetrizer::resize(std::size_t source_words, std::size_t target_words) {
  source_words_ = source_words, target_words_ = target_words;
  for (auto [buffer, size] : {std::pair(&cells_, source_words * target_words),
                              std::pair(&source_linked_, source_words),
                              std::pair(&target_linked_, target_words)}) {
    buffer->clear();
    buffer->resize(size, 0);
  }
}

void Symmetrizer::choose(Link link) {
  cells_[cell(link)] |= kChosen;
  source_linked_[link.source] = target_linked_[link.target] = 1;
}

void Symmetrizer::append(Symmetrization method, Buffer<Link>& links) {
  const bool grows = method == Symmetrization::kGrowDiag || method == Symmetrization::kGrowDiagFinal ||
                     method == Symmetrization::kGrowDiagFinalAnd;
  for (std::uint32_t i = 0; i < source_words_; ++i)
    for (std::uint32_t j = 0; j < target_words_; ++j) {
      const std::size_t at = cell({i, j});
      const bool forward = has(at, kForwardBit), backward = has(at, kBackwardBit);
      const bool chosen = method == Symmetrization::kUnion      ? forward || backward
                          : method == Symmetrization::kForward  ? forward
                          : method == Symmetrization::kBackward ? backward
                                                                : forward && backward;
      if (chosen) choose({i, j});
    }
  if (grows) grow_diag();
  if (method == Symmetrization::kGrowDiagFinal || method == Symmetrization::kGrowDiagFinalAnd) {
    const bool both_free = method == Symmetrization::kGrowDiagFinalAnd;
    finish(kForwardBit, both_free);
    finish(kBackwardBit, both_free);
  }
  for (std::uint32_t i = 0; i < source_words_; ++i)
    for (std::uint32_t j = 0; j < target_words_; ++j)
      if (has(cell({i, j}), kChosen)) links.push_back({i, j});
}

void Symmetrizer::grow_diag() {
  struct Step {
    std::int64_t source, target;
  };
  constexpr Step kNeighbors[] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  for (bool grown = true; grown;) {
    grown = false;
    for (std::uint32_t i = 0; i < source_words_; ++i)
      for (std::uint32_t j = 0; j < target_words_; ++j) {
        if (!has(cell({i, j}), kChosen)) continue;
        for (const Step& step : kNeighbors) {
          const std::int64_t row = i + step.source, column = j + step.target;
          if (row < 0 || column < 0 || row >= static_cast<std::int64_t>(source_words_) ||
              column >= static_cast<std::int64_t>(target_words_))
            continue;
          const Link link{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)};
          if (source_linked_[link.source] && target_linked_[link.target]) continue;
          if ((cells_[cell(link)] & (kForwardBit | kBackwardBit)) == 0) continue;
          choose(link);
          grown = true;
        }
      }
  }
}

void Symmetrizer::finish(std::uint8_t bit, bool both_free) {
  for (std::uint32_t i = 0; i < source_words_; ++i)
    for (std::uint32_t j = 0; j < target_words_; ++j) {
      if (!has(cell({i, j}), bit)) continue;
      const bool source_free = !source_linked_[i], target_free = !target_linked_[j];
      if (both_free ? source_free && target_free : source_free || target_free) choose({i, j});
    }
}

void symmetrize(std::span<const Link> forward, std::span<const std::int64_t> forward_offsets,
                std::span<const Link> backward, std::span<const std::int64_t> backward_offsets,
                Symmetrization method, Buffer<Link>& links, Buffer<std::int64_t>& offsets) {
  if (forward_offsets.size() != backward_offsets.size())
    throw std::invalid_argument("the two alignments have different numbers of sentences");
  Symmetrizer symmetrizer;
  for (std::size_t pair = 0; pair + 1 < forward_offsets.size(); ++pair) {
    const auto part = [pair](std::span<const Link> all, std::span<const std::int64_t> ends) {
      return all.subspan(static_cast<std::size_t>(ends[pair]),
                         static_cast<std::size_t>(ends[pair + 1] - ends[pair]));
    };
    const auto here = part(forward, forward_offsets), there = part(backward, backward_offsets);
    std::size_t rows = 0, columns = 0;
    for (const auto& side : {here, there})
      for (const Link& link : side) {
        rows = std::max(rows, std::size_t{link.source} + 1);
        columns = std::max(columns, std::size_t{link.target} + 1);
      }
    if (rows > kMostCells || columns > kMostCells || rows * columns > kMostCells)
      throw std::invalid_argument("sentence " + std::to_string(pair + 1) +
                                  " has links at positions beyond any sentence");
    symmetrizer.resize(rows, columns);
    for (const Link& link : here) symmetrizer.add_forward(link);
    for (const Link& link : there) symmetrizer.add_backward(link);
    symmetrizer.append(method, links);
    offsets.push_back(static_cast<std::int64_t>(links.size()));
  }
}

}  // namespace isogloss::align
