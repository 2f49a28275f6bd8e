#include "search/posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/interner.hpp"

namespace isogloss::search {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high == kNothing ? kNothing : high + std::log1p(std::exp(std::min(a, b) - high));
}

template <class Visit>
void for_each_arc(const Graph& graph, std::uint32_t node, Visit&& visit) {
  for (std::uint32_t arc = graph.nodes[node].arcs; arc != kNone; arc = graph.arcs[arc].next) visit(arc);
}

struct Words {
  std::vector<std::uint32_t> words;

  std::uint64_t hash() const {
    std::uint64_t hash = words.size();
    for (std::uint32_t word : words) hash = combine64(hash, word);
    return hash;
  }
  friend bool operator==(const Words&, const Words&) = default;
};

/// Ways to a node that end in the same words.
struct Ending {
  std::uint32_t words;
  double sum;
};

class NgramCounter {
 public:
  NgramCounter(const Graph& graph, const PathSums& sums, const Options& options,
               std::span<const std::uint32_t> numbers, std::size_t order)
      : graph_(graph), sums_(sums), options_(options), numbers_(numbers), order_(order) {}

  NgramPosteriors run() {
    std::vector<std::vector<Ending>> endings(graph_.nodes.size());
    endings[0].push_back({contexts_.number({}), 0.0});
    // Arcs lead from lower to higher nodes.
    for (std::uint32_t node = 1; node < graph_.nodes.size(); ++node) {
      if (sums_.after[node] == kNothing) continue;
      slots_.clear();
      for_each_arc(graph_, node, [&](std::uint32_t arc) {
        const double score = sums_.scale * static_cast<double>(graph_.arcs[arc].score);
        for (const Ending& from : endings[graph_.arcs[arc].from])
          follow(graph_.arcs[arc], from.words, from.sum + score, sums_.after[node] - sums_.total, endings[node]);
      });
    }
    NgramPosteriors out;
    for (std::uint32_t i = 0; i < expected_.size(); ++i) {
      out.words.insert(out.words.end(), ngrams_[i].words.begin(), ngrams_[i].words.end());
      out.ends.push_back(out.words.size());
      out.expected.push_back(expected_[i]);
    }
    return out;
  }

 private:
  void follow(const Arc& arc, std::uint32_t context, double sum, double rest, std::vector<Ending>& endings) {
    text_ = contexts_[context].words;
    const std::size_t begin = text_.size();
    if (arc.match != kNone) {
      const Option& option = options_.options[arc.option];
      const auto words = numbers_.subspan(option.words_begin, option.word_count);
      text_.insert(text_.end(), words.begin(), words.end());
    }
    const double probability = std::exp(sum + rest);
    for (std::size_t end = begin + 1; end <= text_.size(); ++end)
      for (std::size_t size = 1; size <= std::min(order_, end); ++size) count(end - size, end, probability);
    const auto kept = static_cast<std::ptrdiff_t>(std::min(order_ - 1, text_.size()));
    const std::uint32_t ending = contexts_.number({{text_.end() - kept, text_.end()}});
    const auto [slot, fresh] = slots_.try_emplace(ending, endings.size());
    if (fresh) {
      endings.push_back({ending, sum});
    } else {
      endings[slot->second].sum = log_add(endings[slot->second].sum, sum);
    }
  }

  void count(std::size_t begin, std::size_t end, double probability) {
    const auto first = text_.begin();
    const std::uint32_t number = ngrams_.number(
        {{first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)}});
    if (number == expected_.size()) expected_.push_back(0.0);
    expected_[number] += probability;
  }

  const Graph& graph_;
  const PathSums& sums_;
  const Options& options_;
  std::span<const std::uint32_t> numbers_;
  std::size_t order_;
  Interner<Words> contexts_, ngrams_;
  std::vector<double> expected_;
  std::vector<std::uint32_t> text_;
  std::unordered_map<std::uint32_t, std::size_t> slots_;  // of the endings of the node at hand
};

}  // namespace

double PathSums::probability(const Arc& arc, std::uint32_t node) const {
  return std::exp(before[arc.from] + scale * static_cast<double>(arc.score) + after[node] - total);
}

PathSums sum_paths(const Graph& graph, double scale) {
  PathSums sums{scale, std::vector<double>(graph.nodes.size(), kNothing),
                std::vector<double>(graph.nodes.size(), kNothing), kNothing};
  if (graph.goal == kNone) return sums;
  const auto score = [&](std::uint32_t arc) { return scale * static_cast<double>(graph.arcs[arc].score); };
  sums.before[0] = 0.0;
  for (std::uint32_t node = 1; node < graph.nodes.size(); ++node)
    for_each_arc(graph, node, [&](std::uint32_t arc) {
      sums.before[node] = log_add(sums.before[node], sums.before[graph.arcs[arc].from] + score(arc));
    });
  sums.after[graph.goal] = 0.0;
  for (std::uint32_t node = graph.goal; node > 0; --node) {
    if (sums.after[node] == kNothing) continue;
    for_each_arc(graph, node, [&](std::uint32_t arc) {
      double& from = sums.after[graph.arcs[arc].from];
      from = log_add(from, sums.after[node] + score(arc));
    });
  }
  sums.total = sums.before[graph.goal];
  return sums;
}

std::vector<StepPosterior> step_posteriors(const Graph& graph, const PathSums& sums) {
  std::vector<StepPosterior> found;
  std::unordered_map<std::uint64_t, std::size_t> slots;
  for (std::uint32_t node = 1; node < graph.nodes.size(); ++node) {
    if (sums.after[node] == kNothing) continue;
    for_each_arc(graph, node, [&](std::uint32_t number) {
      const Arc& arc = graph.arcs[number];
      if (arc.match == kNone) return;
      const auto [slot, fresh] = slots.try_emplace(std::uint64_t{arc.match} << 32 | arc.option, found.size());
      if (fresh) found.push_back({number, 0.0});
      found[slot->second].probability += sums.probability(arc, node);
    });
  }
  std::stable_sort(found.begin(), found.end(), [](const StepPosterior& a, const StepPosterior& b) {
    return a.probability > b.probability;
  });
  return found;
}

NgramPosteriors ngram_posteriors(const Graph& graph, const PathSums& sums, const Options& options,
                                 std::span<const std::uint32_t> numbers, std::size_t order) {
  if (graph.goal == kNone || order == 0) return {};
  return NgramCounter(graph, sums, options, numbers, order).run();
}

}  // namespace isogloss::search
