#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "features/weight_source.hpp"
#include "search/features.hpp"

namespace isogloss::search {

/// All weights as one call sees them, whatever is set or learned meanwhile.
struct WeightSnapshot {
  std::shared_ptr<const SearchWeights> dense;
  std::shared_ptr<const features::WeightSource> source;  ///< of the sparse weights; nullptr without any
  features::PinnedWeights sparse;
  std::uint32_t version = 0;  ///< another one for other weights, never 0; what is remembered of scores goes by it
  bool first = true;          ///< nobody took a snapshot of these weights before
};

/// The weights in use. Any thread may set them or take a snapshot at any time. Weights that return after others were
/// in use for a moment have the version that they had.
class CurrentWeights {
 public:
  void set(std::span<const double> values, SearchWeights dense, std::shared_ptr<const features::WeightSource> sparse) {
    auto shared = std::make_shared<const SearchWeights>(std::move(dense));
    {
      const std::lock_guard<std::mutex> guard(lock_);
      dense_.swap(shared);
      source_.swap(sparse);
      remember(values);
    }
    // What was in use before ends here, where nobody waits for the lock.
  }

  /// Gives all weights other versions from now on, because something that scores depend on besides has changed.
  void renew() {
    const std::lock_guard<std::mutex> guard(lock_);
    for (Known& known : recent_) known.version = 0;
  }

  WeightSnapshot snapshot() {
    const std::lock_guard<std::mutex> guard(lock_);
    WeightSnapshot now{dense_, source_, {}, 0};
    if (source_ != nullptr) now.sparse = source_->pin();
    Known& known = recent_.back();
    // Weights may have been learned since they were set.
    if (now.sparse.revision != known.revision) known.revision = now.sparse.revision, known.version = 0;
    now.first = known.version == 0;
    if (now.first) known.version = ++version_;
    now.version = known.version;
    return now;
  }

 private:
  static constexpr std::size_t kRecent = 4;

  struct Known {
    std::vector<double> values;
    std::weak_ptr<const features::WeightSource> source;
    bool sparse = false;
    std::uint64_t revision = 0;
    std::uint32_t version = 0;  // 0 until somebody asks
  };

  /// Puts the weights that are in use now last among the recent ones.
  void remember(std::span<const double> values) {
    const auto found = std::ranges::find_if(recent_, [&](const Known& known) {
      return known.sparse == (source_ != nullptr) && known.source.lock() == source_ &&
             std::ranges::equal(known.values, values);
    });
    if (found != recent_.end()) {
      std::rotate(found, found + 1, recent_.end());
      return;
    }
    if (recent_.size() == kRecent) recent_.erase(recent_.begin());
    recent_.push_back({{values.begin(), values.end()}, source_, source_ != nullptr, 0, 0});
  }

  std::mutex lock_;
  std::shared_ptr<const SearchWeights> dense_;
  std::shared_ptr<const features::WeightSource> source_;
  std::vector<Known> recent_;  // the last one is in use
  std::uint32_t version_ = 0;
};

}  // namespace isogloss::search
