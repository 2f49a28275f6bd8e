#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lm/trie.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::lm {

/// Lines of an ARPA file for the kept n-grams among the entries [begin, end) of one order. `backoffs` is
/// empty for the highest order. Numbers have as many digits as tell one float from the next.
std::string arpa_lines(const Trie& trie, unsigned order, const text::Vocabulary& vocabulary,
                       std::span<const float> log_probs, std::span<const float> backoffs, std::size_t begin,
                       std::size_t end, std::size_t threads);

}  // namespace isogloss::lm
