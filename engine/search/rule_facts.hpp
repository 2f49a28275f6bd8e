#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/scorer.hpp"
#include "search/tables.hpp"

namespace isogloss::search {

/// Turns rules of a table into what sparse features see of them.
class RuleFactsReader {
 public:
  /// The source side of the rules that follow, with this many gaps.
  void set_side(const features::Lexicon& lexicon, std::span<const WordId> symbols, unsigned gaps) {
    lexicon_ = &lexicon;
    gaps_ = static_cast<std::uint8_t>(gaps);
    source_.clear();
    for (WordId symbol : symbols) source_.push_back(symbol == kGap ? features::kGapToken : lexicon.source(symbol));
  }

  /// Valid until the next call.
  features::RuleFacts of(const RuleView& rule) {
    target_.clear();
    for (WordId word : rule.words) target_.push_back(lexicon_->target(word));
    links_.clear();
    for (std::size_t i = 0; i + 1 < rule.links.size(); i += 2) links_.push_back({rule.links[i], rule.links[i + 1]});
    return {source_, target_, links_, gaps_, rule.shape == Shape::two_gaps_swapped};
  }

 private:
  const features::Lexicon* lexicon_ = nullptr;
  std::uint8_t gaps_ = 0;
  std::vector<features::TokenId> source_, target_;
  std::vector<features::Link> links_;
};

}  // namespace isogloss::search
