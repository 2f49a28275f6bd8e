#include "align/bitext.hpp"

#include <algorithm>

#include "base/offsets.hpp"

namespace isogloss::align {

void Bitext::check() const {
  const std::size_t sentences = std::max<std::size_t>(source_offsets.size(), 1) - 1;
  check_offsets(source_offsets, sentences, source.size(), "source sentences");
  check_offsets(target_offsets, sentences, target.size(), "target sentences");
}

}  // namespace isogloss::align
