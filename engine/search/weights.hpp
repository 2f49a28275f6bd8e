#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "features/weight_source.hpp"
#include "search/features.hpp"

namespace isogloss::search {

/// All weights as one call sees them, whatever is set or learned meanwhile.
struct WeightSnapshot {
  std::shared_ptr<const SearchWeights> dense;
  std::shared_ptr<const features::WeightSource> source;  ///< of the sparse weights; nullptr without any
  features::PinnedWeights sparse;
  std::uint32_t version = 0;  ///< another one for other weights, never 0; what is remembered of scores goes by it
};

/// The weights in use. Any thread may set them or take a snapshot at any time.
class CurrentWeights {
 public:
  void set(SearchWeights dense, std::shared_ptr<const features::WeightSource> sparse) {
    auto shared = std::make_shared<const SearchWeights>(std::move(dense));
    {
      const std::lock_guard<std::mutex> guard(lock_);
      dense_.swap(shared);
      source_.swap(sparse);
      ++version_;
    }
    // What was in use before ends here, where nobody waits for the lock.
  }

  WeightSnapshot snapshot() {
    const std::lock_guard<std::mutex> guard(lock_);
    WeightSnapshot now{dense_, source_, {}, 0};
    if (source_ != nullptr) now.sparse = source_->pin();
    // Weights may have been learned since they were set.
    if (now.sparse.revision != revision_) {
      revision_ = now.sparse.revision;
      ++version_;
    }
    now.version = version_;
    return now;
  }

 private:
  std::mutex lock_;
  std::shared_ptr<const SearchWeights> dense_;
  std::shared_ptr<const features::WeightSource> source_;
  std::uint64_t revision_ = 0;
  std::uint32_t version_ = 0;
};

}  // namespace isogloss::search
