#include "grammar/significance.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/parallel.hpp"

namespace isogloss::grammar {
namespace {

constexpr std::size_t kPairsPerShard = 64;

/// Whole numbers: the order in which threads add does not matter.
void increment(std::uint32_t& count) {
  std::atomic_ref<std::uint32_t>(count).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::vector<double> log_factorials(std::uint64_t n) {
  std::vector<double> values(n + 1);
  for (std::uint64_t i = 1; i <= n; ++i) values[i] = values[i - 1] + std::log(static_cast<double>(i));
  return values;
}

double fisher_significance(std::uint64_t both, std::uint64_t a, std::uint64_t b, std::uint64_t n,
                           std::span<const double> log_factorials) {
  const std::uint64_t least = a + b > n ? a + b - n : 0, most = std::min(a, b);
  both = std::clamp(both, least, most);
  if (both == least) return 0;
  // Sum the tail outwards from its largest term, so that nothing overflows.
  const double mode =
      (static_cast<double>(a) + 1) * (static_cast<double>(b) + 1) / (static_cast<double>(n) + 2);
  const std::uint64_t peak = std::clamp(static_cast<std::uint64_t>(mode), both, most);
  const auto& f = log_factorials;
  const double log_peak =
      f[a] - f[peak] - f[a - peak] + f[n - a] - f[b - peak] - f[n - a - b + peak] - f[n] + f[b] + f[n - b];
  const auto ratio_up = [&](std::uint64_t k) {  // of the term at k + 1 to the term at k
    const auto free = static_cast<double>(n - a - b + k + 1);
    return static_cast<double>(a - k) * static_cast<double>(b - k) / (static_cast<double>(k + 1) * free);
  };
  double sum = 1, term = 1;
  for (std::uint64_t k = peak; k < most && term > 1e-18 * sum; ++k) sum += term *= ratio_up(k);
  term = 1;
  for (std::uint64_t k = peak; k > both && term > 1e-18 * sum; --k) sum += term /= ratio_up(k - 1);
  return std::max(0.0, -(log_peak + std::log(sum)));
}

/// Finds target phrases by their words.
class CoOccurrence::PhraseIndex {
 public:
  explicit PhraseIndex(const RuleTable& table) : table_(&table) {
    const auto hash_of = [&](std::uint32_t phrase) {
      std::uint64_t hash = 0;
      for (const WordId word : table.phrase(phrase)) hash = combine64(hash, word);
      return hash;
    };
    index_.reset(table.phrase_count());
    for (std::uint32_t phrase = 0; phrase < table.phrase_count(); ++phrase) {
      longest_ = std::max(longest_, table.phrase(phrase).size());
      // Every phrase gets a number, also if a damaged table has it twice: numbers are those of the table.
      index_.find_or_add(hash_of(phrase), [](std::uint32_t) { return false; }, hash_of, [] {});
    }
  }

  /// Calls `visit(phrase, words behind it)` for every phrase that stands in the sentence.
  template <class Visit>
  void for_each(std::span<const WordId> sentence, Visit&& visit) const {
    for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
      std::uint64_t hash = 0;
      for (std::size_t end = begin + 1; end <= std::min(sentence.size(), begin + longest_); ++end) {
        hash = combine64(hash, sentence[end - 1]);
        const std::span<const WordId> words = sentence.subspan(begin, end - begin);
        const std::uint32_t found = index_.find(hash, [&](std::uint32_t phrase) {
          return std::ranges::equal(table_->phrase(phrase), words);
        });
        if (found != Index::kNone) visit(found, sentence.size() - end);
      }
    }
  }

 private:
  const RuleTable* table_;
  std::size_t longest_ = 0;
  Index index_;
};

class CoOccurrence::Worker {
 public:
  explicit Worker(CoOccurrence& counts)
      : counts_(&counts), matcher_(*counts.table_), room_(counts.table_->phrase_count(), 0) {}

  void count(std::span<const WordId> source, std::span<const WordId> target) {
    present_.clear();
    counts_->index_->for_each(target, [&](std::uint32_t phrase, std::size_t behind) {
      const auto room = static_cast<std::uint8_t>(1 + std::min<std::size_t>(behind, 2));
      if (room_[phrase] == 0) present_.push_back(phrase);
      room_[phrase] = std::max(room_[phrase], room);
    });
    for (const std::uint32_t phrase : present_)
      for (unsigned gaps = 0; gaps < room_[phrase]; ++gaps)
        increment(counts_->of_target_[3 * std::size_t{phrase} + gaps]);
    matcher_.match_sides(source, counts_->max_span_);
    for (const SideView& side : matcher_.sides()) {
      increment(counts_->of_node_[side.node]);
      for (std::uint32_t rule = side.first_rule; rule < side.last_rule; ++rule) {
        const std::uint32_t code = counts_->table_->target_code(rule);
        const unsigned gaps = gap_count(static_cast<Shape>(code & 3));
        if (code >> 2 >= room_.size()) throw TableError("a target phrase does not exist");
        if (room_[code >> 2] > gaps) increment(counts_->of_rule_[rule]);
      }
    }
    for (const std::uint32_t phrase : present_) room_[phrase] = 0;
  }

 private:
  CoOccurrence* counts_;
  SideMatcher matcher_;
  std::vector<std::uint8_t> room_;  // of each phrase in this sentence: 1 + words behind it, up to 3; 0 absent
  std::vector<std::uint32_t> present_;
};

CoOccurrence::CoOccurrence(const RuleTable& table, unsigned max_span, unsigned max_sentence_length,
                           unsigned threads)
    : table_(&table),
      max_span_(max_span),
      max_sentence_length_(max_sentence_length),
      index_(std::make_unique<PhraseIndex>(table)),
      of_node_(table.node_count()),
      of_target_(3 * table.phrase_count()),
      of_rule_(table.rule_count()) {
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) workers_.push_back(std::make_unique<Worker>(*this));
}

CoOccurrence::~CoOccurrence() = default;

void CoOccurrence::add(std::span<const WordId> source, std::span<const std::int64_t> source_offsets,
                       std::span<const WordId> target, std::span<const std::int64_t> target_offsets) {
  if (source_offsets.empty() || source_offsets.size() != target_offsets.size())
    throw std::invalid_argument("as many source as target sentences are expected");
  const auto sentence = [](std::span<const WordId> words, std::span<const std::int64_t> offsets,
                           std::size_t i) {
    const std::int64_t begin = offsets[i], end = offsets[i + 1];
    if (begin < 0 || begin > end || static_cast<std::size_t>(end) > words.size())
      throw std::invalid_argument("offsets out of range");
    return words.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  struct Pair {
    std::span<const WordId> source, target;
  };
  std::vector<Pair> kept;
  for (std::size_t i = 0; i + 1 < source_offsets.size(); ++i) {
    const Pair pair{sentence(source, source_offsets, i), sentence(target, target_offsets, i)};
    if (std::max(pair.source.size(), pair.target.size()) <= max_sentence_length_) kept.push_back(pair);
  }
  const std::size_t shards = (kept.size() + kPairsPerShard - 1) / kPairsPerShard;
  parallel_for(shards, workers_.size(), [&](std::size_t shard, std::size_t worker) {
    for (std::size_t i = shard * kPairsPerShard; i < std::min(kept.size(), (shard + 1) * kPairsPerShard); ++i)
      workers_[worker]->count(kept[i].source, kept[i].target);
  });
  pairs_ += kept.size();
}

std::vector<double> CoOccurrence::significance() const {
  const std::vector<double> factorials = log_factorials(pairs_);
  std::vector<double> values(table_->rule_count());
  for (RuleTable::Node node = 0; node < table_->node_count(); ++node) {
    if (!table_->has_rules(node)) continue;
    const SideView side = table_->side(node);
    for (std::uint32_t rule = side.first_rule; rule < side.last_rule; ++rule) {
      const std::uint32_t code = table_->target_code(rule);
      const std::size_t target = 3 * std::size_t{code >> 2} + gap_count(static_cast<Shape>(code & 3));
      if (target >= of_target_.size()) throw TableError("a target phrase does not exist");
      values[rule] =
          fisher_significance(of_rule_[rule], of_node_[node], of_target_[target], pairs_, factorials);
    }
  }
  return values;
}

}  // namespace isogloss::grammar
