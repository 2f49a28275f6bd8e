#include "selection/ngram_sampler.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "base/parallel.hpp"
#include "text/split.hpp"

namespace isogloss::selection {
namespace {

constexpr std::uint64_t kWhole = 144403552893600;  // divisible by 1 to 36
constexpr std::uint32_t kRoot = 0xffffffffu;       // the empty n-gram
constexpr std::size_t kShardTexts = 512;           // so that their precisions stay in the nearest cache
constexpr std::size_t kChunk = 256;                // sentences that a thread reads at once

/// The better first: what `std::push_heap` takes for "less", so that the worst candidate is on top.
constexpr auto kBetter = [](const auto& a, const auto& b) {
  return a.precision != b.precision ? a.precision > b.precision : a.sentence < b.sentence;
};

template <class Count>
void join_equal(std::vector<Count>& counts) {
  std::sort(counts.begin(), counts.end(), [](const Count& a, const Count& b) { return a.ngram < b.ngram; });
  std::size_t kept = 0;
  for (const Count& one : counts) {
    if (kept > 0 && counts[kept - 1].ngram == one.ngram)
      counts[kept - 1].count += one.count;
    else
      counts[kept++] = one;
  }
  counts.resize(kept);
}

}  // namespace

NgramSampler::NgramSampler(unsigned order, std::uint32_t coverage) : order_(order), coverage_(coverage) {
  if (order < 1 || order > kMostOrder || coverage < 1)
    throw std::invalid_argument("the order must be between 1 and 9, and the coverage at least 1");
}

NgramSampler::Ngram NgramSampler::add_ngram(Ngram prefix, WordId word) {
  const Ngram ngram = ngrams_.number({prefix, word});
  if (ngram == lengths_.size())
    lengths_.push_back(prefix == kRoot ? 1 : static_cast<std::uint8_t>(lengths_[prefix] + 1));
  return ngram;
}

void NgramSampler::add_text(std::string_view sentence) {
  if (!shards_.empty()) throw std::logic_error("the text must be complete before the corpus begins");
  std::vector<WordId> words;
  text::Tokens tokens(sentence);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) words.push_back(vocabulary_.add(word));
  if (words.empty()) return;
  std::vector<Count> counts;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    Ngram ngram = kRoot;
    for (std::size_t at = begin; at < std::min(words.size(), begin + order_); ++at)
      counts.push_back({ngram = add_ngram(ngram, words[at]), 1});
  }
  join_equal(counts);
  texts_.push_back(std::move(counts));
  text_words_.push_back(std::move(words));
}

void NgramSampler::make_shards() {
  // Equal sentences ask for the same; the order of sentences makes no difference.
  std::vector<std::size_t> order(texts_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return text_words_[a] < text_words_[b]; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::size_t a, std::size_t b) { return text_words_[a] == text_words_[b]; }),
              order.end());
  std::vector<std::vector<Count>> different;
  for (std::size_t i : order) different.push_back(std::move(texts_[i]));
  texts_ = std::move(different);
  text_words_.clear();
  text_words_.shrink_to_fit();
  seen_.assign(lengths_.size(), 0);
  shards_.resize((texts_.size() + kShardTexts - 1) / kShardTexts);
  for (std::size_t s = 0; s < shards_.size(); ++s) {
    Shard& shard = shards_[s];
    const std::size_t first = s * kShardTexts, last = std::min(texts_.size(), first + kShardTexts);
    shard.offsets.assign(lengths_.size() + 1, 0);
    for (std::size_t i = first; i < last; ++i)
      for (const Count& one : texts_[i]) ++shard.offsets[one.ngram + 1];
    for (std::size_t i = 1; i < shard.offsets.size(); ++i) shard.offsets[i] += shard.offsets[i - 1];
    shard.postings.resize(shard.offsets.back());
    std::vector<std::size_t> next(shard.offsets.begin(), shard.offsets.end() - 1);
    for (std::size_t i = first; i < last; ++i)
      for (const Count& one : texts_[i])
        shard.postings[next[one.ngram]++] = {static_cast<std::uint32_t>(i - first), one.count};
    shard.marks.assign(shard.postings.size(), 0);
    shard.heaps.resize(shard.postings.size());
    shard.precisions.assign(last - first, 0);
  }
}

void NgramSampler::read(std::string_view sentence, Line& line) const {
  thread_local std::vector<WordId> words;
  words.clear();
  line.counts.clear();
  text::Tokens tokens(sentence);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) words.push_back(vocabulary_.find(word));
  line.words = words.size();
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    Ngram ngram = kRoot;
    for (std::size_t at = begin; at < std::min(words.size(), begin + order_); ++at) {
      if (words[at] == kNoWord || (ngram = ngrams_.find({ngram, words[at]})) == Index::kNone) break;
      line.counts.push_back({ngram, 1});
    }
  }
  join_equal(line.counts);
}

void NgramSampler::offer(Shard& shard, const Line& line, std::uint64_t sentence) const {
  std::uint64_t shares[kMostOrder + 1];
  for (unsigned n = 1; n <= order_; ++n) shares[n] = n <= line.words ? kWhole / (line.words - n + 1) : 0;
  for (const Count& one : line.counts) {
    const std::uint64_t share = shares[lengths_[one.ngram]];
    for (std::size_t p = shard.offsets[one.ngram]; p < shard.offsets[one.ngram + 1]; ++p) {
      const Posting posting = shard.postings[p];
      if (shard.precisions[posting.text] == 0) shard.touched.push_back(posting.text);
      shard.precisions[posting.text] += share * std::min(one.count, posting.count);
    }
  }
  for (const Count& one : line.counts) {
    for (std::size_t p = shard.offsets[one.ngram]; p < shard.offsets[one.ngram + 1]; ++p) {
      const std::uint64_t precision = shard.precisions[shard.postings[p].text];
      if (precision <= shard.marks[p]) continue;
      std::vector<Candidate>& heap = shard.heaps[p];
      if (heap.size() == coverage_) {
        std::pop_heap(heap.begin(), heap.end(), kBetter);
        heap.back() = {precision, sentence};
      } else {
        heap.push_back({precision, sentence});
      }
      std::push_heap(heap.begin(), heap.end(), kBetter);
      if (heap.size() == coverage_) shard.marks[p] = heap.front().precision;
    }
  }
  for (const std::uint32_t text : shard.touched) shard.precisions[text] = 0;
  shard.touched.clear();
}

void NgramSampler::feed(std::span<const std::string_view> sentences, std::size_t threads) {
  if (shards_.empty()) make_shards();
  if (lines_.size() < sentences.size()) lines_.resize(sentences.size());
  parallel_for((sentences.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk, std::size_t) {
    for (std::size_t i = chunk * kChunk; i < std::min(sentences.size(), (chunk + 1) * kChunk); ++i)
      read(sentences[i], lines_[i]);
  });
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    words_ += lines_[i].words;
    for (const Count& one : lines_[i].counts) ++seen_[one.ngram];
  }
  parallel_for(shards_.size(), threads, [&](std::size_t shard, std::size_t) {
    for (std::size_t i = 0; i < sentences.size(); ++i) offer(shards_[shard], lines_[i], sentences_ + i);
  });
  sentences_ += sentences.size();
}

std::vector<Choice> NgramSampler::chosen() const {
  struct Taken {
    std::uint64_t sentence;
    std::uint32_t depth;
    std::uint64_t precision;
    double worth;
  };
  std::vector<Taken> taken;
  for (const Shard& shard : shards_) {
    for (std::size_t ngram = 0; ngram < lengths_.size(); ++ngram) {
      for (std::size_t p = shard.offsets[ngram]; p < shard.offsets[ngram + 1]; ++p) {
        std::vector<Candidate> heap = shard.heaps[p];
        std::sort_heap(heap.begin(), heap.end(), kBetter);
        for (std::size_t i = 0; i < heap.size(); ++i)
          taken.push_back({heap[i].sentence, static_cast<std::uint32_t>(i + 1), heap[i].precision,
                           1 / static_cast<double>(seen_[ngram])});
      }
    }
    // Most sentences are taken for many n-grams: what is not needed any more should not pile up.
    std::stable_sort(taken.begin(), taken.end(),
                     [](const Taken& a, const Taken& b) { return a.sentence < b.sentence; });
    std::size_t kept = 0;
    for (const Taken& one : taken) {
      if (kept > 0 && taken[kept - 1].sentence == one.sentence) {
        taken[kept - 1].depth = std::min(taken[kept - 1].depth, one.depth);
        taken[kept - 1].precision = std::max(taken[kept - 1].precision, one.precision);
        taken[kept - 1].worth += one.worth;
      } else {
        taken[kept++] = one;
      }
    }
    taken.resize(kept);
  }
  std::vector<Choice> chosen;
  for (const Taken& one : taken)
    chosen.push_back({one.sentence, one.depth,
                      static_cast<double>(one.precision) / (static_cast<double>(kWhole) * order_), one.worth});
  return chosen;
}

std::vector<std::size_t> NgramSampler::ngrams() const {
  std::vector<std::size_t> counts(order_, 0);
  for (const std::uint8_t length : lengths_) ++counts[length - 1u];
  return counts;
}

std::vector<std::size_t> NgramSampler::found() const {
  std::vector<std::size_t> counts(order_, 0);
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (seen_[i] > 0) ++counts[lengths_[i] - 1u];
  return counts;
}

}  // namespace isogloss::selection
