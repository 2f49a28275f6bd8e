#include "lm/trie.hpp"

#include <algorithm>
#include <utility>

namespace isogloss::lm {
namespace {

template <class T>
Buffer<T> take_front(Buffer<T>& column, std::size_t keep) {
  Buffer<T> front = std::move(column);
  column = Buffer<T>();
  const std::size_t taken = front.size() - std::min(keep, front.size());
  column.append(front.data() + taken, front.size() - taken);
  front.resize(taken);
  return front;
}

}  // namespace

TrieBuilder::TrieBuilder(unsigned order, std::vector<std::uint64_t> thresholds, SpecialWords special)
    : levels_(order), thresholds_(std::move(thresholds)), special_(special) {
  thresholds_.resize(order, thresholds_.empty() ? 0 : thresholds_.back());
}

void TrieBuilder::add(const WordId* words, unsigned length, std::uint32_t count) {
  unsigned same = 0;
  while (same < depth_ && same < length && words[same] == path_[same]) ++same;
  for (unsigned level = depth_; level-- > same;) close(level);
  for (unsigned level = 0; level < same; ++level) seen_[level] += count;
  for (unsigned level = same; level < length; ++level) open(level, words[level], count);
  depth_ = length;
}

void TrieBuilder::open(unsigned level, WordId word, std::uint32_t count) {
  path_[level] = word;
  seen_[level] = count;
  if (level == 0)
    skip_unigrams(word);
  else
    levels_[level].columns.words.push_back(word);
  push(level, 0);
}

void TrieBuilder::push(unsigned level, std::uint32_t count) {
  levels_[level].columns.counts.push_back(count);
  if (level + 1 < levels_.size()) levels_[level].columns.children.push_back(levels_[level + 1].size());
}

void TrieBuilder::skip_unigrams(WordId to) {
  for (WordId word = levels_[0].size(); word < to; ++word) {
    const bool special = word == special_.begin || word == special_.end || word == special_.unknown;
    push(0, special ? 0 : kPruned);
    if (special) ++levels_[0].statistics.kept;
  }
}

void TrieBuilder::close(unsigned level) {
  Level& closed = levels_[level];
  const WordId word = path_[level];
  const bool raw = level + 1 == levels_.size() || (level > 0 && word == special_.begin);
  std::uint32_t count = raw ? seen_[level] : levels_[level + 1].size() - closed.columns.children.back();
  if (count < closed.statistics.with_count.size()) ++closed.statistics.with_count[count];
  const bool special = level == 0 && (word == special_.end || word == special_.unknown);
  if (seen_[level] <= thresholds_[level] && !special)
    count |= kPruned;
  else
    ++closed.statistics.kept;
  closed.columns.counts.back() = count;
}

void TrieBuilder::finish(std::size_t vocabulary_size) {
  for (unsigned level = depth_; level-- > 0;) close(level);
  depth_ = 0;
  skip_unigrams(static_cast<WordId>(vocabulary_size));
  for (unsigned level = 0; level + 1 < levels_.size(); ++level)
    levels_[level].columns.children.push_back(levels_[level + 1].size());
  finished_ = true;
}

std::size_t TrieBuilder::bytes() const {
  std::size_t bytes = 0;
  for (const Level& level : levels_)
    bytes += sizeof(std::uint32_t) *
             (level.columns.words.size() + level.columns.counts.size() + level.columns.children.size());
  return bytes;
}

TrieColumns TrieBuilder::take(unsigned order) {
  Level& level = levels_[order - 1];
  const std::size_t keep = finished_ || level.columns.counts.empty() ? 0 : 1;  // the last may be open
  TrieColumns taken{take_front(level.columns.words, keep), take_front(level.columns.counts, keep),
                    take_front(level.columns.children, keep)};
  level.taken += taken.counts.size();
  return taken;
}

bool Trie::extends_left(unsigned order, std::size_t entry) const {
  if (order == this->order()) return false;
  const std::span<const std::uint32_t> children = levels[order - 1].children;
  for (std::uint32_t child = children[entry]; child < children[entry + 1]; ++child)
    if (kept(order + 1, child)) return true;
  return false;
}

TrieCursor::TrieCursor(const Trie& trie, unsigned order, std::size_t entry) : trie_(trie), order_(order) {
  at_[order - 1] = entry;
  for (unsigned level = order - 1; level > 0; --level) {
    const std::span<const std::uint32_t> children = trie.levels[level - 1].children;
    const auto after = std::upper_bound(children.begin(), children.end(), at_[level]);
    at_[level - 1] = static_cast<std::size_t>(after - children.begin()) - 1;
  }
  read(0);
}

void TrieCursor::advance() {
  unsigned level = order_ - 1;
  ++at_[level];
  for (; level > 0; --level) {
    const std::span<const std::uint32_t> children = trie_.levels[level - 1].children;
    if (at_[level] < children[at_[level - 1] + 1]) break;
    do ++at_[level - 1];
    while (children[at_[level - 1] + 1] <= at_[level]);
  }
  read(level);
}

void TrieCursor::read(unsigned from_level) {
  for (unsigned level = from_level; level < order_; ++level) {
    const WordId word = level == 0 ? static_cast<WordId>(at_[0]) : trie_.levels[level].words[at_[level]];
    words_[order_ - 1 - level] = word;
    keys_[level] = extend_left(level == 0 ? kNoWords : keys_[level - 1], word);
  }
}

}  // namespace isogloss::lm
