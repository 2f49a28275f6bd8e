#include "base/large_pages.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss;

namespace {

std::uintptr_t past_border(const void* block, std::size_t border) {
  return reinterpret_cast<std::uintptr_t>(block) % border;
}

}  // namespace

TEST("blocks begin at a cache line, and large ones at a large page") {
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 4096u, 1000000u}) {
    const LargeBlock<char> block = make_large<char>(bytes);
    CHECK(block != nullptr);
    CHECK_EQUAL(past_border(block.get(), kCacheLine), 0u);
    if (bytes > 0) std::memset(block.get(), 1, bytes);
  }
  for (const std::size_t bytes : {kLargePage, kLargePage + 1, 3 * kLargePage - 1}) {
    const LargeBlock<char> block = make_large<char>(bytes);
    CHECK_EQUAL(past_border(block.get(), kLargePage), 0u);
    std::memset(block.get(), 1, bytes);
  }
}

TEST("a block that no machine has room for is refused") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS(std::bad_alloc, "", allocate_large(kMost));
  CHECK_THROWS(std::bad_alloc, "", make_large<std::uint64_t>(kMost / 4));
  CHECK_THROWS(std::bad_alloc, "", LargePages<std::uint64_t>().allocate(kMost / 4));
}

TEST("a vector in large pages keeps its values while it grows") {
  std::vector<std::uint32_t, LargePages<std::uint32_t>> numbers;
  for (std::uint32_t i = 0; i < 1500000; ++i) numbers.push_back(i);
  CHECK_EQUAL(past_border(numbers.data(), kLargePage), 0u);
  bool kept = true;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) kept = kept && numbers[i] == i;
  CHECK(kept);
  const auto moved = std::move(numbers);
  CHECK_EQUAL(moved.size(), 1500000u);
}
