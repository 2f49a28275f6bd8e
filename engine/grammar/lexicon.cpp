#include "grammar/lexicon.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "grammar/symbols.hpp"

namespace isogloss::grammar {

void Lexicon::add(WordId source, WordId target, std::uint64_t count) {
  const std::uint32_t at = index_.find_or_add(
      hash(source, target), [&](std::uint32_t other) { return entries_[other].is(source, target); },
      [&](std::uint32_t other) { return hash(entries_[other].source, entries_[other].target); },
      [&] { entries_.push_back({source, target, 0}); });
  entries_[at].value += count;
}

Lexicon::Counts Lexicon::counts() const {
  Counts counts;
  for (const Entry& entry : entries_) {
    counts.sources.push_back(entry.source);
    counts.targets.push_back(entry.target);
    counts.counts.push_back(entry.value);
  }
  return counts;
}

void Lexicon::count(const AlignedSentences& pair) {
  linked_source_.assign(pair.source.size(), false);
  linked_target_.assign(pair.target.size(), false);
  for (const WordLink link : pair.links) {
    add(pair.source[link.source], pair.target[link.target], 1);
    linked_source_[link.source] = linked_target_[link.target] = true;
  }
  for (std::size_t s = 0; s < pair.source.size(); ++s)
    if (!linked_source_[s]) add(pair.source[s], kNoWord, 1);
  for (std::size_t t = 0; t < pair.target.size(); ++t)
    if (!linked_target_[t]) add(kNoWord, pair.target[t], 1);
}

void Lexicon::estimate() {
  std::vector<std::uint64_t> of_source, of_target;  // the first is "no word"
  const auto total = [](std::vector<std::uint64_t>& totals, WordId word) -> std::uint64_t& {
    const std::size_t at = std::size_t{word == kNoWord ? 0 : word + 1u};
    if (at >= totals.size()) totals.resize(at + at / 2 + 1);
    return totals[at];
  };
  for (const Entry& entry : entries_) {
    total(of_source, entry.source) += entry.value;
    total(of_target, entry.target) += entry.value;
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const auto links = static_cast<double>(entry.value);
    const double given_source = links / static_cast<double>(total(of_source, entry.source));
    const double given_target = links / static_cast<double>(total(of_target, entry.target));
    entry.value = std::bit_cast<std::uint64_t>(
        Probabilities{static_cast<float>(given_source), static_cast<float>(given_target)});
  }
}

Lexicon::Columns Lexicon::columns(std::size_t source_words) const {
  std::vector<const Entry*> entries;
  entries.reserve(entries_.size());
  for (const Entry& entry : entries_) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->source, a->target) < std::tie(b->source, b->target);
  });
  Columns columns;
  columns.offsets.resize(source_words + 2);
  for (const Entry* entry : entries) {
    ++columns.offsets[std::min<std::size_t>(entry->source, source_words) + 1];
    columns.targets.push_back(entry->target);
    const auto probabilities = std::bit_cast<Probabilities>(entry->value);
    columns.probabilities.push_back(probabilities.target_given_source);
    columns.probabilities.push_back(probabilities.source_given_target);
  }
  std::uint64_t* const offsets = columns.offsets.data();
  std::partial_sum(offsets, offsets + columns.offsets.size(), offsets);
  return columns;
}

LexiconView::LexiconView(std::span<const std::uint64_t> offsets, std::span<const WordId> targets,
                         std::span<const float> probabilities)
    : offsets_(offsets), targets_(targets), probabilities_(probabilities) {
  if (offsets.size() < 2 || probabilities.size() != 2 * targets.size())
    throw std::invalid_argument("lexicon: the arrays do not match");
}

LexiconView::Row LexiconView::row(WordId source) const {
  if (offsets_.empty()) return {};
  const std::size_t rows = offsets_.size() - 1;
  const std::size_t at = source == kNoWord ? rows - 1 : source;
  // The last row is "no word", not a source word.
  if (at >= rows || (source != kNoWord && at == rows - 1)) return {};
  const std::uint64_t begin = offsets_[at], end = offsets_[at + 1];
  if (begin > end || end > targets_.size()) return {};
  return {targets_.subspan(begin, end - begin), probabilities_.subspan(2 * begin, 2 * (end - begin))};
}

Lexicon::Probabilities LexiconView::find(WordId source, WordId target) const {
  const Row found = row(source);
  const auto at = std::lower_bound(found.targets.begin(), found.targets.end(), target);
  if (at == found.targets.end() || *at != target) return {0, 0};
  const auto i = static_cast<std::size_t>(at - found.targets.begin());
  return {found.probabilities[2 * i], found.probabilities[2 * i + 1]};
}

LexicalWeights lexical_weights(const Lexicon& lexicon, std::span<const WordId> source_symbols,
                               std::span<const WordId> target_words, std::span<const std::uint8_t> links) {
  LexicalWeights weights{0, 0};
  // Links are in target order: one run of them per target word.
  std::size_t at = 0;
  double source_sums[256];
  unsigned source_links[256];
  std::fill_n(source_sums, source_symbols.size(), 0.0);
  std::fill_n(source_links, source_symbols.size(), 0u);
  for (std::size_t t = 0; t < target_words.size(); ++t) {
    double sum = 0;
    unsigned count = 0;
    for (; at + 1 < links.size() && links[at] == t; at += 2) {
      const std::uint8_t s = links[at + 1];
      const Lexicon::Probabilities p = lexicon.find(source_symbols[s], target_words[t]);
      sum += static_cast<double>(p.target_given_source);
      source_sums[s] += static_cast<double>(p.source_given_target);
      ++count;
      ++source_links[s];
    }
    weights.target_given_source +=
        std::log(count > 0 ? sum / count
                           : static_cast<double>(lexicon.find(kNoWord, target_words[t]).target_given_source));
  }
  for (std::size_t s = 0; s < source_symbols.size(); ++s) {
    if (source_symbols[s] == kGap) continue;
    weights.source_given_target +=
        std::log(source_links[s] > 0
                     ? source_sums[s] / source_links[s]
                     : static_cast<double>(lexicon.find(source_symbols[s], kNoWord).source_given_target));
  }
  return weights;
}

}  // namespace isogloss::grammar
