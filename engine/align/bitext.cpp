#include "align/bitext.hpp"

#include <stdexcept>
#include <string>

namespace isogloss {

void check_offsets(std::span<const std::int64_t> offsets, std::size_t size) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(size))
    throw std::invalid_argument("offsets do not span the " + std::to_string(size) + " items");
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      throw std::invalid_argument("offset " + std::to_string(i) + " is out of order");
}

void Bitext::check() const {
  if (source_offsets.size() != target_offsets.size())
    throw std::invalid_argument("the two sides have different numbers of sentences");
  check_offsets(source_offsets, source.size());
  check_offsets(target_offsets, target.size());
}

}  // namespace isogloss
