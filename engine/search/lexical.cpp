#include "search/lexical.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"
#include "grammar/symbols.hpp"

namespace isogloss::search {
namespace {

using grammar::kGap;

constexpr std::uint32_t kFree = 0xffffffffu;

std::uint8_t small(std::size_t count) { return static_cast<std::uint8_t>(std::min<std::size_t>(count, 255)); }

}  // namespace

void LexicalMatches::set_sentence(const Source& source) {
  if (lexicon_ == nullptr) return;
  words_.clear();
  for (const SourceArc& arc : source.arcs())
    if (arc.word != kNoWord) words_.push_back(arc.word);
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  matched_.assign(words_.size(), 0);
  question_ = 0;

  pairs_.clear();
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    const LexiconView::Row row = lexicon_->row(words_[i]);
    for (std::size_t j = 0; j < row.targets.size(); ++j)
      if (row.probabilities[2 * j] >= threshold_) pairs_.push_back({row.targets[j], i});
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
    return a.target != b.target ? a.target < b.target : a.source < b.source;
  });
  slots_.assign(std::bit_ceil(2 * pairs_.size() + 2), kFree);
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    if (i > 0 && pairs_[i].target == pairs_[i - 1].target) continue;
    std::size_t slot = mix64(pairs_[i].target) & (slots_.size() - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = i;
  }
}

void LexicalMatches::set_side(std::span<const WordId> symbols) {
  if (lexicon_ == nullptr) return;
  side_.clear();
  for (WordId symbol : symbols) {
    const auto found = std::lower_bound(words_.begin(), words_.end(), symbol);
    if (symbol != kGap && found != words_.end() && *found == symbol)
      side_.push_back(static_cast<std::uint32_t>(found - words_.begin()));
  }
}

Unmatched LexicalMatches::of(std::span<const WordId> target_words) {
  if (lexicon_ == nullptr) return {0, 0};
  ++question_;
  std::size_t insertions = 0;
  for (WordId word : target_words) {
    std::size_t slot = mix64(word) & (slots_.size() - 1);
    while (slots_[slot] != kFree && pairs_[slots_[slot]].target != word) slot = (slot + 1) & (slots_.size() - 1);
    insertions += slots_[slot] == kFree;
    for (std::size_t i = slots_[slot]; i < pairs_.size() && pairs_[i].target == word; ++i)
      matched_[pairs_[i].source] = question_;
  }
  const auto deletions =
      std::count_if(side_.begin(), side_.end(), [&](std::uint32_t word) { return matched_[word] != question_; });
  return {small(insertions), small(static_cast<std::size_t>(deletions))};
}

}  // namespace isogloss::search
