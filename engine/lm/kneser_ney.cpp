#include "lm/kneser_ney.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/parallel.hpp"

namespace isogloss::lm {
namespace {

constexpr double kLeast = std::numeric_limits<double>::min();
constexpr std::size_t kShard = 1 << 14;  // entries that a thread claims at once

/// Calls `work(first, last)` for pieces of [begin, end).
template <class Work>
void in_shards(std::size_t begin, std::size_t end, std::size_t threads, Work&& work) {
  const std::size_t shards = (end - begin + kShard - 1) / kShard;
  parallel_for(shards, threads, [&](std::size_t shard, std::size_t) {
    const std::size_t first = begin + shard * kShard;
    work(first, std::min(end, first + kShard));
  });
}

double gamma(const ContextSum& sum, const Discounts& discounts) {
  const double left = discounts[1] * sum.n1 + discounts[2] * sum.n2 + discounts[3] * sum.n3 + sum.cut;
  return left / sum.total;
}

double discounted(std::uint32_t count, const Discounts& discounts) {
  return count - discounts[std::min<std::uint32_t>(count, 3)];
}

void check(bool fits) {
  if (!fits) throw std::invalid_argument("the columns of the trie do not match");
}

}  // namespace

void link_contexts(const Trie& trie, unsigned order, std::span<const std::uint32_t> shorter,
                   std::size_t begin, std::size_t end, std::size_t threads,
                   std::span<std::uint32_t> contexts) {
  check(order >= 3 && order <= trie.order());
  const Trie::Level& parents = trie.levels[order - 2];
  const Trie::Level& grandparents = trie.levels[order - 3];
  const std::span<const WordId> words = trie.levels[order - 1].words;
  check(end <= parents.counts.size() && shorter.size() == parents.counts.size() &&
        contexts.size() == words.size());
  in_shards(begin, end, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t parent = first; parent < last; ++parent) {
      // The context of u v w is the child with first word u of v, which is the context of the parent v w.
      auto low = parents.words.begin() + grandparents.children[shorter[parent]];
      const auto high = parents.words.begin() + grandparents.children[shorter[parent] + 1];
      for (std::size_t child = parents.children[parent]; child < parents.children[parent + 1]; ++child) {
        low = std::lower_bound(low, high, words[child]);
        check(low != high && *low == words[child]);
        contexts[child] = static_cast<std::uint32_t>(low - parents.words.begin());
        ++low;
      }
    }
  });
}

void add_to_contexts(const Trie& trie, unsigned order, std::span<const std::uint32_t> contexts,
                     std::size_t begin, std::size_t end, std::span<ContextSum> sums) {
  const std::span<const std::uint32_t> counts = trie.levels[order - 1].counts;
  check(end <= counts.size() && (order == 1 ? sums.size() == 1 : contexts.size() == counts.size()));
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t count = counts[i] & ~kPruned;
    ContextSum& sum = sums[order == 1 ? 0 : contexts[i]];
    sum.total += count;
    if (counts[i] & kPruned)
      sum.cut += count;
    else if (count > 0)
      ++(count == 1 ? sum.n1 : count == 2 ? sum.n2 : sum.n3);
  }
}

void unigram_probabilities(const Trie& trie, const ContextSum& sum, const Discounts& discounts, WordId begin,
                           std::span<double> probabilities) {
  const std::span<const std::uint32_t> counts = trie.levels[0].counts;
  check(probabilities.size() == counts.size() && begin < counts.size());
  const auto kept =
      std::count_if(counts.begin(), counts.end(), [](auto count) { return (count & kPruned) == 0; });
  const double share = gamma(sum, discounts) / static_cast<double>(kept - 1);  // <s> is never predicted
  for (std::size_t word = 0; word < counts.size(); ++word) {
    const std::uint32_t count = counts[word];
    probabilities[word] =
        (count & kPruned) ? 0 : (count ? discounted(count, discounts) / sum.total : 0) + share;
  }
  probabilities[begin] = 1;
}

void interpolate(const Trie& trie, unsigned order, std::span<const std::uint32_t> contexts,
                 std::span<const ContextSum> sums, const Discounts& discounts,
                 std::span<const double> shorter, std::size_t begin, std::size_t end, std::size_t threads,
                 std::span<double> probabilities) {
  const std::span<const std::uint32_t> children = trie.levels[order - 2].children;
  const std::span<const std::uint32_t> counts = trie.levels[order - 1].counts;
  check(end < children.size() && shorter.size() + 1 == children.size() && sums.size() == shorter.size() &&
        contexts.size() == counts.size() && probabilities.size() == counts.size());
  in_shards(begin, end, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t parent = first; parent < last; ++parent)
      for (std::size_t i = children[parent]; i < children[parent + 1]; ++i) {
        const ContextSum& sum = sums[contexts[i]];
        probabilities[i] = (counts[i] & kPruned) ? 0
                                                 : discounted(counts[i], discounts) / sum.total +
                                                       gamma(sum, discounts) * shorter[parent];
      }
  });
}

void log_backoffs(std::span<const ContextSum> sums, const Discounts& discounts, std::size_t begin,
                  std::size_t end, std::size_t threads, std::span<float> backoffs) {
  check(end <= sums.size() && backoffs.size() == sums.size());
  in_shards(begin, end, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const bool extended = sums[i].n1 + sums[i].n2 + sums[i].n3 > 0;
      backoffs[i] =
          extended ? static_cast<float>(std::log10(std::max(gamma(sums[i], discounts), kLeast))) : -0.0f;
    }
  });
}

void log_probabilities(std::span<const double> probabilities, std::size_t begin, std::size_t end,
                       std::size_t threads, std::span<float> logs) {
  check(end <= probabilities.size() && logs.size() == probabilities.size());
  in_shards(begin, end, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      logs[i] = static_cast<float>(std::log10(std::clamp(probabilities[i], kLeast, 1.0)));
  });
}

}  // namespace isogloss::lm
