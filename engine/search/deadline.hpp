#pragma once

#include <chrono>

namespace isogloss::search {

using Clock = std::chrono::steady_clock;

/// When a search has to take shortcuts; the latest time there is means never, and costs nothing to ask.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(Clock::time_point at) : at_(at) {}

  bool passed() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }

 private:
  Clock::time_point at_ = Clock::time_point::max();
};

}  // namespace isogloss::search
