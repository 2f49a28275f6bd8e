#include "search/lexical.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"
#include "grammar/symbols.hpp"

namespace isogloss::search {

using grammar::kGap;

std::span<const WordId> LikelyTranslations::of(WordId source) {
  const std::uint32_t number = index_.find_or_add(
      mix64(source), [&](std::uint32_t other) { return words_[other] == source; },
      [&](std::uint32_t other) { return mix64(words_[other]); },
      [&] {
        const LexiconView::Row row = lexicon_->row(source);
        for (std::size_t i = 0; i < row.targets.size(); ++i)
          if (row.probabilities[2 * i] >= threshold_) targets_.push_back(row.targets[i]);
        words_.push_back(source);
        begins_.push_back(targets_.size());
      });
  return {targets_.data() + begins_[number], begins_[number + 1] - begins_[number]};
}

void LexicalMatches::set_sentence(const Source& source) {
  if (!translations_.any()) return;
  std::size_t count = 0;
  for (const SourceArc& arc : source.arcs())
    if (arc.word != kNoWord) count += translations_.of(arc.word).size();
  slots_.assign(std::bit_ceil(2 * count + 2), kNoWord);
  for (const SourceArc& arc : source.arcs()) {
    if (arc.word == kNoWord) continue;
    for (WordId target : translations_.of(arc.word)) {
      std::size_t slot = mix64(target) & (slots_.size() - 1);
      while (slots_[slot] != kNoWord && slots_[slot] != target) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = target;
    }
  }
}

bool LexicalMatches::in_sentence(WordId target) const {
  if (!translations_.any()) return true;
  std::size_t slot = mix64(target) & (slots_.size() - 1);
  while (slots_[slot] != kNoWord && slots_[slot] != target) slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot] == target;
}

void LexicalMatches::set_side(std::span<const WordId> symbols) {
  side_.clear();
  side_begins_.assign(1, 0);
  if (!translations_.any()) return;
  for (WordId symbol : symbols) {
    if (symbol == kGap) continue;
    const std::span<const WordId> targets = translations_.of(symbol);
    side_.insert(side_.end(), targets.begin(), targets.end());
    side_begins_.push_back(side_.size());
  }
}

std::uint8_t LexicalMatches::deletions(std::span<const WordId> target_words) {
  std::size_t deletions = 0;
  for (std::size_t i = 0; i + 1 < side_begins_.size(); ++i) {
    const auto begin = side_.begin() + static_cast<std::ptrdiff_t>(side_begins_[i]);
    const auto end = side_.begin() + static_cast<std::ptrdiff_t>(side_begins_[i + 1]);
    deletions += std::ranges::none_of(target_words, [&](WordId word) { return std::binary_search(begin, end, word); });
  }
  return static_cast<std::uint8_t>(std::min<std::size_t>(deletions, 255));
}

bool LexicalMatches::in_side(WordId target) const {
  return !translations_.any() || std::find(side_.begin(), side_.end(), target) != side_.end();
}

}  // namespace isogloss::search
