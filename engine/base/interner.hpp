#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"

namespace isogloss {

/// Equal values get equal small numbers, so that comparing states is comparing numbers. Many readers or one writer.
template <class Value>
class Interner {
 public:
  static constexpr std::uint32_t kNone = Index::kNone;

  /// The value's number, given to it now if it is new: then it is the `size()` of before.
  std::uint32_t number(const Value& value) {
    return index_.find_or_add(
        value.hash(), [&](std::uint32_t other) { return values_[other] == value; },
        [&](std::uint32_t other) { return values_[other].hash(); }, [&] { values_.push_back(value); });
  }
  /// The value's number, or kNone.
  std::uint32_t find(const Value& value) const {
    return index_.find(value.hash(), [&](std::uint32_t other) { return values_[other] == value; });
  }

  const Value& operator[](std::uint32_t number) const { return values_[number]; }
  const std::vector<Value>& values() const { return values_; }  ///< by number
  std::size_t size() const { return values_.size(); }

  /// Forgets all values, but keeps the memory.
  void clear() {
    index_.clear();
    values_.clear();
  }

 private:
  Index index_;
  std::vector<Value> values_;
};

}  // namespace isogloss
