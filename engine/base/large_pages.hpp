#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace isogloss {

/// Memory for tables that are read all over the place. Where the system offers large pages, large blocks ask for
/// them: with small ones nearly every access to such a table first waits for the address of its page.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: an allocator for one type makes one for another

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes, kLine));
    void* block = ::operator new(bytes, kPageBorder);
#ifdef __linux__
    madvise(block, bytes, MADV_HUGEPAGE);  // advice: it does not matter whether it is taken
#endif
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept {
    ::operator delete(block, count * sizeof(T) < kPage ? kLine : kPageBorder);
  }

  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static constexpr std::align_val_t kLine{64}, kPageBorder{kPage};
};

}  // namespace isogloss
