#include "align/aligner.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "align/posteriors.hpp"
#include "base/parallel.hpp"

namespace isogloss::align {
namespace {

constexpr std::size_t kChunk = 64;
constexpr float kSameString = 0.5f;
constexpr float kBothUnknown = 1e-3f;

/// An unknown word is as likely under the empty word as the rarest known one.
float smallest(std::span<const float> shares) {
  float least = 1;
  for (const float share : shares)
    if (share > 0) least = std::min(least, share);
  return shares.empty() ? 1e-6f : least;
}

}  // namespace

struct Aligner::Worker {
  PairPosteriors posteriors;
  Symmetrizer symmetrizer;
};

Aligner::Aligner(const LexicalTable& table, std::span<const float> source_null,
                 std::span<const float> target_null, const AlignmentParameters& parameters)
    : table_(table),
      source_null_(source_null),
      target_null_(target_null),
      unknown_source_null_(smallest(source_null)),
      unknown_target_null_(smallest(target_null)),
      parameters_(parameters) {}

void Aligner::align(const Bitext& bitext, std::size_t begin, std::size_t end, const AlignOptions& options,
                    std::size_t threads, Buffer<Link>& links, Buffer<std::int64_t>& offsets) const {
  bitext.check();
  if (begin > end || end > bitext.pairs()) throw std::invalid_argument("no such sentence pairs");
  std::size_t longest = 1;
  for (std::size_t pair = begin; pair < end; ++pair)
    if (bitext.usable(pair, options.max_length))
      longest = std::max({longest, bitext.source_words(pair).size(), bitext.target_words(pair).size()});
  const JumpTables jumps(parameters_, longest);
  std::vector<Worker> workers(std::max<std::size_t>(threads, 1));
  struct Chunk {
    Buffer<Link> links;
    std::vector<std::size_t> ends;
  };
  std::vector<Chunk> chunks((end - begin + kChunk - 1) / kChunk);
  parallel_for(chunks.size(), threads, [&](std::size_t index, std::size_t worker) {
    Chunk& chunk = chunks[index];
    const std::size_t from = begin + index * kChunk;
    for (std::size_t pair = from; pair < std::min(end, from + kChunk); ++pair) {
      if (bitext.usable(pair, options.max_length))
        align_pair(bitext, pair, options, jumps, workers[worker], chunk.links);
      chunk.ends.push_back(chunk.links.size());
    }
  });
  for (const Chunk& chunk : chunks) {
    for (const std::size_t chunk_end : chunk.ends)
      offsets.push_back(static_cast<std::int64_t>(links.size() + chunk_end));
    links.append(chunk.links.data(), chunk.links.size());
  }
}

void Aligner::align_pair(const Bitext& bitext, std::size_t pair, const AlignOptions& options,
                         const JumpTables& jumps, Worker& worker, Buffer<Link>& links) const {
  const auto sources = bitext.source_words(pair);
  const auto targets = bitext.target_words(pair);
  const auto floor = static_cast<float>(parameters_.lexical_floor);
  PairPosteriors& posteriors = worker.posteriors;
  posteriors.use(parameters_);
  posteriors.resize(sources.size(), targets.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const WordId source = sources[i];
    posteriors.set_null_source(i, source < source_null_.size() ? source_null_[source] : unknown_source_null_);
    for (std::size_t j = 0; j < targets.size(); ++j) {
      if (source >= kUnknownWords && targets[j] >= kUnknownWords) {
        const float probability = source == targets[j] ? kSameString : kBothUnknown;
        posteriors.set(i, j, probability, probability);
      } else if (const auto entry = table_.find(source, targets[j])) {
        posteriors.set(i, j, floor + table_.forward(*entry), floor + table_.backward(*entry));
      } else {
        posteriors.set(i, j, floor, floor);
      }
    }
  }
  for (std::size_t j = 0; j < targets.size(); ++j) {
    const WordId target = targets[j];
    posteriors.set_null_target(j, target < target_null_.size() ? target_null_[target] : unknown_target_null_);
  }
  posteriors.run(parameters_, jumps, nullptr);

  const auto threshold = static_cast<float>(options.threshold);
  const auto mean = [&](std::size_t i, std::size_t j) {
    return (posteriors.forward(i, j) + posteriors.backward(i, j)) / 2;
  };
  worker.symmetrizer.resize(sources.size(), targets.size());
  for (std::uint32_t j = 0; j < targets.size(); ++j) {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < sources.size(); ++i)
      if (mean(i, j) > mean(best, j)) best = i;
    if (mean(best, j) >= threshold && mean(best, j) > posteriors.null_target(j))
      worker.symmetrizer.add_forward({best, j});
  }
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    std::uint32_t best = 0;
    for (std::uint32_t j = 1; j < targets.size(); ++j)
      if (mean(i, j) > mean(i, best)) best = j;
    if (mean(i, best) >= threshold && mean(i, best) > posteriors.null_source(i))
      worker.symmetrizer.add_backward({i, best});
  }
  worker.symmetrizer.append(options.method, links);
}

}  // namespace isogloss::align
