#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/interner.hpp"
#include "lm/phrase.hpp"
#include "search/options.hpp"

namespace isogloss::search {

/// What the language model remembers in one sentence's search: equal states have equal numbers, and what joining an
/// option to a state gives is remembered, since most of it is asked again and again. One per thread.
class LmStates {
 public:
  static constexpr std::uint32_t kBeginning = 0;

  struct Joined {
    float log_prob;  ///< log10
    std::uint32_t next;
  };

  /// Forgets the last sentence. `joins` is about how many there will be.
  void begin(const lm::Model& model, const Options& options, std::size_t joins) {
    model_ = &model;
    options_ = &options;
    states_.clear();
    states_.number(model.begin_sentence());
    ends_.assign(options.options.size(), kUnknown);
    cells_.assign(std::bit_ceil(std::clamp<std::size_t>(joins, 64, kMostCells)), Cell{kFree, {}});
  }

  Joined join(std::uint32_t state, std::uint32_t option) {
    const std::uint64_t key = std::uint64_t{state} << 32 | option;
    Cell& cell = cells_[(key * 0x9e3779b97f4a7c15ULL) >> 32 & (cells_.size() - 1)];
    if (cell.key != key) cell = {key, find(state, option)};
    return cell.joined;
  }

  const lm::State& operator[](std::uint32_t number) const { return states_[number]; }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffffu;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::size_t kMostCells = 8192;

  struct Cell {
    std::uint64_t key;
    Joined joined;
  };

  Joined find(std::uint32_t number, std::uint32_t option);

  const lm::Model* model_ = nullptr;
  const Options* options_ = nullptr;
  Interner<lm::State> states_;
  std::vector<std::uint32_t> ends_;  // by option: the state after it, if what stood before does not matter
  std::vector<Cell> cells_;          // the newest of those that share a cell
};

}  // namespace isogloss::search
