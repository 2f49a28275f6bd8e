#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"

namespace isogloss::text {

/// Calls `change(line, out)` for every line, which appends to the empty string `out`, on up to `threads` threads.
template <class Change>
std::vector<std::string> changed_lines(const std::vector<std::string_view>& lines, std::size_t threads,
                                       Change&& change) {
  constexpr std::size_t kBlock = 512;  // lines that are claimed at once
  std::vector<std::string> changed(lines.size());
  parallel_for((lines.size() + kBlock - 1) / kBlock, threads, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(lines.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) change(lines[i], changed[i]);
  });
  return changed;
}

}  // namespace isogloss::text
