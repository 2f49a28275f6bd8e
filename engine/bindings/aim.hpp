#pragma once

#include <string>
#include <vector>

#include "bindings/wording.hpp"
#include "search/forced.hpp"
#include "search/oracle.hpp"

namespace isogloss::bindings {

/// What translations of some sentences are wanted, as Python says it.
struct BoundAim {
  using Texts = std::vector<std::vector<std::string>>;  // the references of a sentence

  std::vector<Texts> references;  ///< by sentence
  bool forced = false;            ///< to the references; otherwise those with the highest BLEU
  search::SentenceBleu bleu;

  /// The references of a sentence with its words numbered for the options that its search will have.
  search::References number(std::size_t sentence, const SearchInput& input, const Wording& wording,
                            const text::Vocabulary& target_words) const;
};

}  // namespace isogloss::bindings
