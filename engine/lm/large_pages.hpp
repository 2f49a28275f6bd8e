#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

namespace isogloss::lm {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

struct FreeLines {
  void operator()(void* memory) const {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
  }
};

template <class T>
using LinesPtr = std::unique_ptr<T, FreeLines>;

/// Memory that begins at a cache line. If there is much of it, the system is asked for large pages: tables
/// are read all over the place, and with small pages every read would also miss the page table's cache.
template <class T>
LinesPtr<T> allocate_lines(std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  const std::size_t large = bytes / kLargePage * kLargePage;
  const std::size_t alignment = large > 0 ? kLargePage : kLine;
  const std::size_t rounded = (bytes / alignment + 1) * alignment;
#if defined(_WIN32)
  void* memory = _aligned_malloc(rounded, alignment);
#else
  void* memory = std::aligned_alloc(alignment, rounded);
#endif
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (large > 0) madvise(memory, large, MADV_HUGEPAGE);  // the rest would waste up to a page
#endif
  return LinesPtr<T>(static_cast<T*>(memory));
}

}  // namespace isogloss::lm
