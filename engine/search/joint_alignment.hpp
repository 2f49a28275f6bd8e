#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isogloss::search {

/// Appends for each of `words` target words the source symbol it belongs to. `links` are pairs of source symbol and
/// target word. Of several linked symbols it is the middle one; a word without a link has that of the nearest word with
/// one, the one on its right if both are equally near. Without any link it is the first symbol.
void append_aligned_symbols(std::span<const std::uint8_t> links, std::size_t words, std::vector<std::uint8_t>& out);

}  // namespace isogloss::search
