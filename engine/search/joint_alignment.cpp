#include "search/joint_alignment.hpp"

#include <algorithm>

namespace isogloss::search {

void append_aligned_symbols(std::span<const std::uint8_t> links, std::size_t words, std::vector<std::uint8_t>& out) {
  constexpr int kUnlinked = -1;
  std::vector<int> own(words, kUnlinked);
  std::vector<std::uint8_t> linked;
  for (std::size_t word = 0; word < words; ++word) {
    linked.clear();
    for (std::size_t i = 0; i + 1 < links.size(); i += 2)
      if (links[i + 1] == word) linked.push_back(links[i]);
    std::ranges::sort(linked);
    if (!linked.empty()) own[word] = linked[linked.size() / 2];
  }
  for (std::size_t word = 0; word < words; ++word) {
    int symbol = kUnlinked;
    for (std::size_t distance = 0; distance < words && symbol == kUnlinked; ++distance) {
      if (word + distance < words) symbol = own[word + distance];
      if (symbol == kUnlinked && word >= distance) symbol = own[word - distance];
    }
    out.push_back(static_cast<std::uint8_t>(std::max(symbol, 0)));
  }
}

}  // namespace isogloss::search
