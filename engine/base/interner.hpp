#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isogloss {

/// Equal values get equal small numbers, so that comparing states is comparing numbers.
template <class Value>
class Interner {
 public:
  std::uint32_t number(const Value& value) {
    if (values_.size() * 2 >= slots_.size()) grow();
    std::size_t slot = value.hash() & (slots_.size() - 1);
    while (slots_[slot] != kEmpty && !(values_[slots_[slot]] == value)) slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] == kEmpty) {
      slots_[slot] = static_cast<std::uint32_t>(values_.size());
      values_.push_back(value);
    }
    return slots_[slot];
  }
  const Value& operator[](std::uint32_t number) const { return values_[number]; }
  const std::vector<Value>& values() const { return values_; }  ///< by number
  std::size_t size() const { return values_.size(); }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffu;

  void grow() {
    slots_.assign(slots_.empty() ? 256 : slots_.size() * 2, kEmpty);
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      std::size_t slot = values_[i].hash() & (slots_.size() - 1);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = i;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::vector<Value> values_;
};

}  // namespace isogloss
