#include "grammar/counter.hpp"

#include <algorithm>
#include <iterator>

#include "base/parallel.hpp"

namespace isogloss::grammar {
namespace {

constexpr std::size_t kPairsPerShard = 64;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

}  // namespace

/// What one thread needs, and what it has found.
class RuleCounter::Worker {
 public:
  Worker(const ExtractOptions& options, ScratchSpace& scratch, std::size_t memory)
      : options_(options), finder_(options.limits), sorter_(scratch, memory) {}

  void extract(const AlignedSentences& pair) {
    index_.build(pair);
    orientations_.build(index_, options_.orientation, options_.limits.max_length);
    finder_.find(index_, [&](const Block& block, unsigned ways, const std::vector<FoundRule>& rules) {
      RuleOccurrence occurrence{options_.fractional ? ways : 1, 0, 0, Orientation::discontinuous,
                                Orientation::discontinuous};
      if (options_.orientation != OrientationModel::none) {
        occurrence.previous = orientations_.with_previous(block);
        occurrence.next = orientations_.with_next(block);
      }
      for (const FoundRule& rule : rules) emit(pair, block, rule, occurrence);
    });
  }

  std::vector<ScratchFile> finish() { return sorter_.finish(); }
  std::uint64_t occurrences() const { return occurrences_; }

 private:
  void emit(const AlignedSentences& pair, const Block& block, const FoundRule& rule,
            RuleOccurrence& occurrence) {
    const std::span<const WordLink> links = index_.links(block.target_begin, rule.phrase_end);
    const std::size_t words = block.source_length() + rule.phrase_end - block.target_begin;
    key_.resize((words + 2) * codes::kLongest + 2 * links.size());
    std::uint8_t* out = key_.data();

    const unsigned gaps = gap_count(rule.shape);
    unsigned gap = 0;
    for (unsigned s = block.source_begin; s < block.source_end;) {
      if (gap < gaps && s == rule.gaps[gap].source_begin) {
        out += codes::put(codes::kSourceGap, out);
        s = rule.gaps[gap++].source_end;
      } else {
        out += codes::put(codes::kSourceWords + pair.source[s++], out);
      }
    }
    out += codes::put(codes::kSourceEnd, out);
    occurrence.source_size = static_cast<std::uint16_t>(out - key_.data());

    for (unsigned t = block.target_begin; t < rule.phrase_end; ++t)
      out += codes::put(codes::kTargetWords + pair.target[t], out);
    out += codes::put(static_cast<std::uint64_t>(rule.shape), out);
    occurrence.rule_size = static_cast<std::uint16_t>(out - key_.data());

    for (const WordLink link : links) {
      unsigned symbol = link.source - block.source_begin;
      for (unsigned i = 0; i < gaps; ++i)
        if (link.source >= rule.gaps[i].source_end) symbol -= rule.gaps[i].source_length() - 1;
      *out++ = static_cast<std::uint8_t>(link.target - block.target_begin);
      *out++ = static_cast<std::uint8_t>(symbol);
    }
    sorter_.add({key_.data(), out}, occurrence);
    ++occurrences_;
  }

  const ExtractOptions& options_;
  LinkIndex index_;
  Orientations orientations_;
  RuleFinder finder_;
  RunSorter<RuleOccurrence, RuleSum> sorter_;
  std::vector<std::uint8_t> key_;
  std::uint64_t occurrences_ = 0;
};

RuleCounter::RuleCounter(const ExtractOptions& options, ScratchSpace& scratch, std::size_t memory,
                         unsigned threads)
    : options_(options) {
  for (unsigned i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(options_, scratch, memory / threads));
}

RuleCounter::~RuleCounter() = default;

void RuleCounter::add(std::string_view sources, std::string_view targets, std::string_view links,
                      std::uint64_t line) {
  text_.clear();
  const std::size_t lines = 1 + static_cast<std::size_t>(std::count(sources.begin(), sources.end(), '\n'));
  for (std::size_t i = 0; i < lines; ++i)
    text_.add(take_line(sources), take_line(targets), take_line(links), line + i,
              options_.max_sentence_length, source_words_, target_words_);
  for (std::size_t i = 0; i < text_.size(); ++i) lexicon_.count(text_[i]);
  pairs_ += text_.size();
  skipped_ += text_.skipped();
  const std::size_t shards = (text_.size() + kPairsPerShard - 1) / kPairsPerShard;
  parallel_for(shards, workers_.size(), [&](std::size_t shard, std::size_t worker) {
    const std::size_t end = std::min(text_.size(), (shard + 1) * kPairsPerShard);
    for (std::size_t i = shard * kPairsPerShard; i < end; ++i) workers_[worker]->extract(text_[i]);
  });
}

std::vector<ScratchFile> RuleCounter::finish() {
  std::vector<std::vector<ScratchFile>> runs(workers_.size());
  parallel_for(workers_.size(), workers_.size(),
               [&](std::size_t item, std::size_t) { runs[item] = workers_[item]->finish(); });
  std::vector<ScratchFile> all;
  for (std::vector<ScratchFile>& part : runs) std::move(part.begin(), part.end(), std::back_inserter(all));
  for (const std::string& path : runs_elsewhere_) all.emplace_back(path, ScratchFile::Named::read);
  return all;
}

void RuleCounter::write_run(const std::string& path) {
  ScratchFile file(path, ScratchFile::Named::write);
  RunMerger<RuleSum> merger(finish());
  while (merger.next()) write_record(file, merger.key(), merger.sum());
  file.close();
}

void RuleCounter::add_run(const std::string& path) { runs_elsewhere_.push_back(path); }

void RuleCounter::add_totals(std::uint64_t pairs, std::uint64_t skipped, std::uint64_t occurrences) {
  pairs_ += pairs;
  skipped_ += skipped;
  occurrences_elsewhere_ += occurrences;
}

std::uint64_t RuleCounter::occurrences() const {
  std::uint64_t sum = occurrences_elsewhere_;
  for (const std::unique_ptr<Worker>& worker : workers_) sum += worker->occurrences();
  return sum;
}

}  // namespace isogloss::grammar
