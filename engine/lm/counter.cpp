#include "lm/counter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace isogloss::lm {
namespace {

constexpr std::uint32_t kSame = 0x80000000u;

struct Keyed {
  std::uint64_t key;
  std::uint32_t position;
};

}  // namespace

Counter::Counter(text::Vocabulary& vocabulary, unsigned order, SpecialWords special, bool special_as_unknown)
    : vocabulary_(vocabulary), order_(order), special_(special), special_as_unknown_(special_as_unknown) {}

void Counter::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = at;
    while (end < bytes.size() && !text::is_space(bytes[end])) ++end;
    if (end > at) line_begun_ = true;
    if (end == bytes.size()) {
      partial_word_.append(bytes, at, end - at);
      return;
    }
    if (!partial_word_.empty()) {
      partial_word_.append(bytes, at, end - at);
      add_word(partial_word_);
      partial_word_.clear();
    } else if (end > at) {
      add_word(bytes.substr(at, end - at));
    }
    line_begun_ = true;
    if (bytes[end] == '\n') end_sentence();
    at = end + 1;
  }
}

void Counter::end_file() {
  if (!partial_word_.empty()) add_word(partial_word_);
  partial_word_.clear();
  if (line_begun_) end_sentence();
  line_ = 1;
}

void Counter::add_word(std::string_view word) {
  if (line_ == 1 && !sentence_open_ && word.starts_with("\xef\xbb\xbf")) {  // byte order mark
    word.remove_prefix(3);
    if (word.empty()) return;
  }
  const std::size_t known = vocabulary_.size();
  WordId id = vocabulary_.add(word);
  if (id >= known && !text::is_utf8(word))
    throw LineError("a word is not valid UTF-8", line_,
                    "convert the file to UTF-8; 'isogloss corpus check' lists all such lines");
  if (id == special_.begin || id == special_.end || id == special_.unknown) {
    if (!special_as_unknown_)
      throw LineError("the word '" + std::string(word) + "' is reserved", line_,
                      "remove it, or use --special-words unknown to treat it as an unknown word");
    id = special_.unknown;
  }
  if (!sentence_open_) {
    tokens_.push_back(special_.begin);
    sentence_open_ = true;
  }
  tokens_.push_back(id);
  if (++words_ + sentences_ >= kMaxTokens)
    throw LineError("the corpus has more than " + std::to_string(kMaxTokens) + " words and sentence ends",
                    line_, "use a smaller corpus");
}

void Counter::end_sentence() {
  if (!sentence_open_) tokens_.push_back(special_.begin);
  tokens_.push_back(special_.end);
  sentence_open_ = false;
  line_begun_ = false;
  complete_ = tokens_.size();
  ++line_;
  ++sentences_;
}

void Counter::begin_sort() {
  groups_.clear();
  groups_.resize(vocabulary_.size() + 1, 0);
  for (std::size_t i = 0; i < complete_; ++i)
    if (tokens_[i] != special_.begin) ++groups_[tokens_[i]];
  std::uint32_t sum = 0;
  for (std::size_t word = 0; word < groups_.size(); ++word) {
    const std::uint32_t size = groups_[word];
    groups_[word] = sum;
    sum += size;
  }
  sorted_.clear();
  sorted_.resize(sum);
  for (std::size_t i = 0; i < complete_; ++i)
    if (tokens_[i] != special_.begin) sorted_[groups_[tokens_[i]]++] = static_cast<std::uint32_t>(i);
  // Filling moved each beginning to its end, that is, to the beginning of the next.
  for (std::size_t word = groups_.size() - 1; word > 0; --word) groups_[word] = groups_[word - 1];
  groups_[0] = 0;
  next_group_ = 0;
  next_emitted_ = 0;
  word_bits_ = static_cast<unsigned>(std::bit_width(vocabulary_.size()));
}

bool Counter::sort_some(std::size_t budget, std::size_t threads) {
  const std::size_t words = groups_.size() - 1;
  const std::size_t first = next_group_;
  while (next_group_ < words && groups_[next_group_] - groups_[first] < budget) ++next_group_;
  parallel_for(next_group_ - first, threads,
               [&](std::size_t i, std::size_t) { sort_group(groups_[first + i], groups_[first + i + 1]); });
  return next_group_ == words;
}

void Counter::sort_group(std::size_t begin, std::size_t end) {
  if (end - begin < 2) return;
  const unsigned fit = 64 / word_bits_;
  std::vector<Keyed> items(end - begin);
  // The words `from` to `to` places before the position, the nearest weighing most.
  const auto key = [&](std::uint32_t position, unsigned from, unsigned to) {
    std::uint64_t packed = 0;
    bool inside = true;
    for (unsigned k = 1; k < to; ++k) {
      const WordId word = inside ? tokens_[position - k] : 0;
      if (inside && word == special_.begin) inside = false;
      if (k >= from) packed = packed << word_bits_ | word;
    }
    return packed;
  };
  const auto less = [](const Keyed& a, const Keyed& b) { return a.key < b.key; };
  // Ranges that are equal so far, sorted by the next words until none are left.
  std::vector<std::array<std::size_t, 2>> ranges = {{0, items.size()}};
  std::vector<std::array<std::size_t, 2>> ties;
  for (std::size_t i = 0; i < items.size(); ++i) items[i].position = sorted_[begin + i];
  for (unsigned from = 1; from < order_ && !ranges.empty(); from += fit) {
    const unsigned to = std::min(order_, from + fit);
    ties.clear();
    for (const auto& [low, high] : ranges) {
      for (std::size_t i = low; i < high; ++i) items[i].key = key(items[i].position, from, to);
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(low),
                items.begin() + static_cast<std::ptrdiff_t>(high), less);
      for (std::size_t i = low, next; i < high; i = next) {
        for (next = i + 1; next < high && items[next].key == items[i].key;) ++next;
        if (next - i > 1) ties.push_back({i, next});
      }
    }
    ranges.swap(ties);
  }
  for (std::size_t i = 0; i < items.size(); ++i) sorted_[begin + i] = items[i].position;
  for (const auto& [low, high] : ranges)
    for (std::size_t i = low + 1; i < high; ++i) sorted_[begin + i] |= kSame;
}

template <class Sink>
bool Counter::emit_some(std::size_t budget, Sink&& sink) {
  std::array<WordId, kMaxOrder> words;
  for (std::size_t emitted = 0; emitted < budget && next_emitted_ < sorted_.size(); ++emitted) {
    const std::size_t first = next_emitted_++;
    while (next_emitted_ < sorted_.size() && (sorted_[next_emitted_] & kSame) != 0) ++next_emitted_;
    const std::uint32_t position = sorted_[first];
    unsigned length = 0;
    do words[length] = tokens_[position - length];
    while (words[length++] != special_.begin && length < order_);
    sink(words.data(), length, static_cast<std::uint32_t>(next_emitted_ - first));
  }
  return next_emitted_ == sorted_.size();
}

bool Counter::emit(TrieBuilder& builder, std::size_t budget) {
  return emit_some(budget, [&](const WordId* words, unsigned length, std::uint32_t count) {
    builder.add(words, length, count);
  });
}

bool Counter::emit(Buffer<std::uint32_t>& records, std::size_t budget) {
  return emit_some(budget, [&](const WordId* words, unsigned length, std::uint32_t count) {
    records.append(words, length);
    for (unsigned i = length; i < order_; ++i) records.push_back(0);
    records.push_back(count);
  });
}

void Counter::clear() {
  Buffer<WordId> open;
  open.append(tokens_.data() + complete_, tokens_.size() - complete_);
  tokens_ = std::move(open);
  complete_ = 0;
  sorted_ = Buffer<std::uint32_t>();
  groups_ = Buffer<std::uint32_t>();
}

}  // namespace isogloss::lm
