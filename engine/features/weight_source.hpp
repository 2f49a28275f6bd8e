#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "features/weights.hpp"

namespace isogloss::features {

/// Weights as they were at one moment: as long as this lives, whatever is learned meanwhile, the view reads the same.
struct PinnedWeights {
  WeightView view;
  std::uint64_t revision = 0;         ///< of its source; another one for other weights
  std::shared_ptr<const void> owner;  ///< of what the view reads
};

/// Weights of sparse features that searches read. It must outlive what was pinned.
class WeightSource {
 public:
  virtual ~WeightSource() = default;

  /// From any thread, at any time.
  virtual PinnedWeights pin() const = 0;
};

/// A table of weights that one thread at a time learns while others may read what they pinned. It is changed in place
/// as long as nobody reads it, and otherwise copied first, so neither waits for the other.
class LearnedTable final : public WeightSource {
 public:
  PinnedWeights pin() const override {
    const std::lock_guard<std::mutex> guard(lock_);
    state_->readers.fetch_add(1, std::memory_order_relaxed);
    const auto unpin = [state = state_](const void*) { state->readers.fetch_sub(1, std::memory_order_release); };
    return {state_->table.view(), revision_, {state_.get(), unpin}};
  }

  /// Calls `learn(table)`, which may change weights, and gives what it gives.
  template <class Learn>
  decltype(auto) change(Learn&& learn) {
    const std::lock_guard<std::mutex> guard(lock_);
    if (state_->readers.load(std::memory_order_acquire) > 0) state_ = std::make_shared<State>(state_->table);
    ++revision_;
    return learn(state_->table);
  }

  /// The table, for the thread that learns; to be used for nothing that changes a weight.
  WeightTable& table() { return state_->table; }
  const WeightTable& table() const { return state_->table; }

 private:
  struct State {
    State() = default;
    explicit State(const WeightTable& other) : table(other) {}

    WeightTable table;
    std::atomic<std::uint32_t> readers{0};
  };

  mutable std::mutex lock_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::uint64_t revision_ = 0;
};

}  // namespace isogloss::features
