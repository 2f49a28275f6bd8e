#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace isogloss {

/// A growing array for the long columns that readers fill.
///
/// std::vector holds old and new storage at once while it grows. This one grows with realloc, which moves
/// the pages of a large block instead of copying them, and pages never written to take no memory: filling
/// it costs no more memory than the data.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }

  void append(const T* values, std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    for (std::size_t i = 0; i < count; ++i) data_[size_ + i] = values[i];
    size_ += count;
  }

  /// Cuts off the end, or extends with copies of `value`.
  void resize(std::size_t size, T value = T{}) {
    if (size > capacity_) grow(size);
    for (std::size_t i = size_; i < size; ++i) data_[i] = value;
    size_ = size;
  }

  void clear() { size_ = 0; }

  /// Gives the storage to the caller, who frees it with std::free. The buffer is empty afterward.
  T* release() {
    size_ = capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  void grow(std::size_t needed) {
    std::size_t capacity = capacity_ + capacity_ / 2 + 16;
    if (capacity < needed) capacity = needed;
    void* moved = std::realloc(data_, capacity * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace isogloss
