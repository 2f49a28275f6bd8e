#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/trie.hpp"

namespace isogloss::lm {

/// Merges sorted runs of records (see Counter::emit) and passes the n-grams on, counts added up. Where the
/// records come from is the caller's matter: when a run has been used up, the caller brings more of it.
class RunMerger {
 public:
  RunMerger(unsigned order, std::size_t runs, WordId begin);

  /// More records of a run, all later than those before; none at all ends the run. Throws
  /// std::invalid_argument if they are not whole records.
  void feed(std::size_t run, std::span<const std::uint32_t> records);

  static constexpr std::size_t kDone = ~std::size_t{0};

  /// Passes n-grams on until a run needs more records, and names it; kDone when all runs have ended.
  std::size_t advance(TrieBuilder& builder);

 private:
  struct Run {
    std::vector<std::uint32_t> records;
    std::size_t at = 0;
    bool ended = false;
  };

  const std::uint32_t* head(std::size_t run) const { return runs_[run].records.data() + runs_[run].at; }
  bool later(std::size_t a, std::size_t b) const;
  void pass_on(TrieBuilder& builder);

  unsigned order_;
  std::size_t width_;
  WordId begin_;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // runs with a record at hand, the earliest on top
  std::size_t waiting_ = 0;        // runs below this one have been asked for a first record
  std::vector<std::uint32_t> current_;
  bool has_current_ = false;
  std::size_t hungry_;
};

}  // namespace isogloss::lm
