// Interpolated modified Kneser-Ney (Chen and Goodman 1998), order by order over a trie of adjusted counts.
//
// For an n-gram h w with count a, context h and suffix context h' (h without its first word):
//
//     P(w | h) = (a - D(a)) / total(h) + gamma(h) P(w | h')
//     gamma(h) = (D(1) n1(h) + D(2) n2(h) + D(3) n3(h) + cut(h)) / total(h)
//
// where n1, n2, n3 count the kept extensions of h with count 1, 2, 3 or more and cut(h) is the mass of
// those that were pruned. gamma(h) is the back-off weight of h.
//
// Every function works on a range of entries, so that the caller can show progress between calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lm/trie.hpp"

namespace isogloss::lm {

/// What is taken off counts 1, 2, and 3 or more; [0] is not used.
using Discounts = std::array<double, 4>;

/// What the extensions of a context add up to.
struct ContextSum {
  std::uint32_t total, n1, n2, n3, cut;
};

/// contexts[i]: the entry of order - 1 that holds the words of entry i of `order` but for the last.
/// `shorter` is the same one order below. For the children of the entries [begin, end) of order - 1. For
/// orders 3 and up: the context of a bigram is its first word.
void link_contexts(const Trie& trie, unsigned order, std::span<const std::uint32_t> shorter,
                   std::size_t begin, std::size_t end, std::size_t threads,
                   std::span<std::uint32_t> contexts);

/// Adds the entries [begin, end) of `order` to the sums of their contexts; for order 1 there is one context.
void add_to_contexts(const Trie& trie, unsigned order, std::span<const std::uint32_t> contexts,
                     std::size_t begin, std::size_t end, std::span<ContextSum> sums);

/// Probabilities of unigrams: interpolated with the uniform distribution over all kept words but <s>,
/// which itself has probability 1.
void unigram_probabilities(const Trie& trie, const ContextSum& sum, const Discounts& discounts, WordId begin,
                           std::span<double> probabilities);

/// Probabilities of the children of the entries [begin, end) of order - 1, for orders 2 and up. Pruned
/// entries get 0.
void interpolate(const Trie& trie, unsigned order, std::span<const std::uint32_t> contexts,
                 std::span<const ContextSum> sums, const Discounts& discounts,
                 std::span<const double> shorter, std::size_t begin, std::size_t end, std::size_t threads,
                 std::span<double> probabilities);

/// log10 of the back-off weights of contexts; -0.0 where no kept n-gram begins with the context.
void log_backoffs(std::span<const ContextSum> sums, const Discounts& discounts, std::size_t begin,
                  std::size_t end, std::size_t threads, std::span<float> backoffs);

/// log10 of probabilities; those of entries that are not kept do not matter.
void log_probabilities(std::span<const double> probabilities, std::size_t begin, std::size_t end,
                       std::size_t threads, std::span<float> logs);

}  // namespace isogloss::lm
