#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/lexicon.hpp"
#include "grammar/orientation.hpp"
#include "grammar/rules.hpp"
#include "grammar/run_sorter.hpp"

namespace isogloss::grammar {

struct ExtractOptions {
  RuleLimits limits;
  /// An initial phrase pair counts 1, shared among the rules it gives; otherwise each of them counts 1.
  bool fractional = true;
  OrientationModel orientation = OrientationModel::hier;
  /// Sentence pairs with more words on a side are left out.
  unsigned max_sentence_length = 200;
};

/// Counts are whole numbers of 2^-32, so that sums do not depend on their order.
inline constexpr std::uint64_t kOneCount = std::uint64_t{1} << 32;

/// One occurrence of a rule with its inner alignment.
struct RuleOccurrence {
  std::uint32_t ways;         ///< it counts 1 / ways
  std::uint16_t source_size;  ///< bytes of the key that are the source side
  std::uint16_t rule_size;    ///< bytes of the key that are both sides; links follow, (target, source) bytes
  Orientation previous, next;
};

/// All occurrences of a rule with one inner alignment, added up.
struct RuleSum {
  std::uint64_t count = 0;
  std::uint32_t seen = 0;
  std::uint32_t orientation[4] = {};  ///< previous monotone, swap; next monotone, swap; the rest is `seen`
  std::uint16_t source_size = 0, rule_size = 0;

  RuleSum() = default;
  explicit RuleSum(const RuleOccurrence& first) : source_size(first.source_size), rule_size(first.rule_size) {
    add(first);
  }

  void add(const RuleOccurrence& other) {
    count += kOneCount / other.ways;
    ++seen;
    if (other.previous != Orientation::discontinuous) ++orientation[static_cast<unsigned>(other.previous)];
    if (other.next != Orientation::discontinuous) ++orientation[2 + static_cast<unsigned>(other.next)];
  }
  void add(const RuleSum& other) {
    count += other.count;
    seen += other.seen;
    for (int i = 0; i < 4; ++i) orientation[i] += other.orientation[i];
  }
};

/// The first step of extraction: takes sentence pairs and leaves sorted runs of their rules, the words'
/// numbers and the lexicon. The result does not depend on the number of threads.
class RuleCounter {
 public:
  /// `memory` bytes are for records waiting to be sorted, over all threads together.
  RuleCounter(const ExtractOptions& options, ScratchSpace& scratch, std::size_t memory, unsigned threads);
  ~RuleCounter();

  /// Takes the same number of lines, joined by line feeds, of the three files; `line` is the number of the
  /// first. Throws LineError about a line of links, ScratchError if a run cannot be written.
  void add(std::string_view sources, std::string_view targets, std::string_view links, std::uint64_t line);

  /// Ends counting; writes all rules as one sorted run into a file. What other processes have written so
  /// becomes a part of this with `add_run`; the words must have the same numbers in all of them.
  void write_run(const std::string& path);
  void add_run(const std::string& path);
  void add_totals(std::uint64_t pairs, std::uint64_t skipped, std::uint64_t occurrences);

  /// Ends counting; hands over the runs.
  std::vector<ScratchFile> finish();

  text::Vocabulary& source_words() { return source_words_; }
  text::Vocabulary& target_words() { return target_words_; }
  Lexicon& lexicon() { return lexicon_; }
  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t skipped() const { return skipped_; }
  std::uint64_t occurrences() const;

 private:
  class Worker;

  ExtractOptions options_;
  text::Vocabulary source_words_, target_words_;
  Lexicon lexicon_;
  AlignedText text_;
  std::uint64_t pairs_ = 0, skipped_ = 0, occurrences_elsewhere_ = 0;
  std::vector<std::string> runs_elsewhere_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace isogloss::grammar
