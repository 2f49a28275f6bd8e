// Memory for tables that are read all over the place. Where the system offers large pages, large blocks ask for them:
// with small ones nearly every access to such a table first waits for the address of its page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace isogloss {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// A block that begins at a cache line, or at a large page if it has at least one, and is freed by `free_large`. Its
/// bytes are not set. Throws std::bad_alloc.
inline void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = bytes < kLargePage ? kCacheLine : kLargePage;
  if (bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  const std::size_t rounded = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1) * alignment;
#if defined(_WIN32)
  void* block = _aligned_malloc(rounded, alignment);
#else
  void* block = std::aligned_alloc(alignment, rounded);
#endif
  if (block == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  // Advice: it does not matter whether it is taken. The rest of the block would waste up to a page.
  if (bytes >= kLargePage) madvise(block, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
  return block;
}

inline void free_large(void* block) noexcept {
#if defined(_WIN32)
  _aligned_free(block);
#else
  std::free(block);
#endif
}

struct FreeLarge {
  void operator()(void* block) const noexcept { free_large(block); }
};

/// `count` things without a constructor, not set to anything.
template <class T>
using LargeBlock = std::unique_ptr<T[], FreeLarge>;

template <class T>
LargeBlock<T> make_large(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
  return LargeBlock<T>(static_cast<T*>(allocate_large(count * sizeof(T))));
}

/// The same for a std::vector.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: an allocator for one type makes one for another

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t) noexcept { free_large(block); }

  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }
};

}  // namespace isogloss
