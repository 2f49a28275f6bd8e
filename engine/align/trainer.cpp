#include "align/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"

namespace isogloss::align {
namespace {

constexpr std::size_t kChunk = 64;    // pairs whose position counts are added up in sequence
constexpr std::size_t kRowShards = 64;
constexpr std::size_t kAhead = 16;    // cells whose table entries are fetched before they are needed

std::vector<float> shares_of(std::span<const std::uint32_t> frequency) {
  double total = 0;
  for (const std::uint32_t count : frequency) total += count;
  std::vector<float> shares(frequency.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] = static_cast<float>(frequency[i] / std::max(total, 1.0));
  return shares;
}

/// exp(digamma(x)) for x > 0: the digamma function's recurrence up to where its asymptotic series is good
/// to 12 digits.
double exp_digamma(double x) {
  double below = 0;
  for (; x < 7; x += 1) below += 1 / x;
  const double inverse = 1 / x, square = inverse * inverse;
  const double series =
      inverse / 2 + square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
  return x * std::exp(-series - below);
}

/// Asks for the cache line of element `index`; the tables are far larger than the caches, so half the time
/// would be spent waiting. Never fails, whatever the index.
template <class T>
void fetch_early(const T* data, std::size_t index) {
#if defined(__GNUC__)
  const auto address = reinterpret_cast<std::uintptr_t>(data) + index * sizeof(T);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#else
  static_cast<void>(data), static_cast<void>(index);
#endif
}

/// What a count weighs in an estimate: itself, or what variational Bayes makes of it.
double weight_of(double count, double prior) {
  return prior > 0 ? exp_digamma(count + prior) : count;
}

/// One over the weight of a whole row: probability = weight of a count * this.
double row_factor(double total, double prior, std::uint64_t size) {
  const double mass = total + prior * static_cast<double>(size);
  return mass > 0 ? 1 / (prior > 0 ? exp_digamma(mass) : mass) : 0;
}

}  // namespace

struct AlignmentTrainer::Worker {
  PairPosteriors posteriors;
};

struct AlignmentTrainer::Chunk {
  std::array<PositionCounts, 2> positions;
};

AlignmentTrainer::AlignmentTrainer(const Cooccurrence& table, const AlignmentParameters& parameters,
                                   bool symmetric)
    : table_(table),
      parameters_(parameters),
      symmetric_(symmetric),
      source_null_(shares_of(table.source_frequency())),
      target_null_(shares_of(table.target_frequency())),
      column_sizes_(table.target_words(), 0) {
  const std::size_t entries = table.columns().size();
  if (table.row_offsets().size() != table.source_words() + 1)
    throw std::invalid_argument("the table of co-occurring words is not complete");
  for (const WordId target : table.columns()) ++column_sizes_[target];
  probabilities_.resize(2 * entries);
  for (std::size_t source = 0; source < table.source_words(); ++source) {
    const std::uint64_t begin = table.row_offsets()[source], end = table.row_offsets()[source + 1];
    for (std::uint64_t entry = begin; entry < end; ++entry) {
      probabilities_[2 * entry] = 1.0f / static_cast<float>(end - begin);
      probabilities_[2 * entry + 1] = 1.0f / static_cast<float>(column_sizes_[table.columns()[entry]]);
    }
  }
  counts_[0].resize(entries);
  if (!symmetric) counts_[1].resize(entries);
  set_type(parameters.type);
}

void AlignmentTrainer::expect_twins(std::span<const WordId> twins, double count) {
  if (twins.size() != table_.source_words())
    throw std::invalid_argument("one twin is expected for each source word");
  const auto columns = table_.columns();
  twin_entries_.clear();
  twin_count_ = count;
  for (std::size_t source = 0; source < twins.size(); ++source) {
    const auto end = columns.begin() + static_cast<std::ptrdiff_t>(table_.row_offsets()[source + 1]);
    const auto place = std::lower_bound(
        columns.begin() + static_cast<std::ptrdiff_t>(table_.row_offsets()[source]), end, twins[source]);
    if (place != end && *place == twins[source])
      twin_entries_.push_back(static_cast<std::uint64_t>(place - columns.begin()));
  }
}

void AlignmentTrainer::set_type(AlignmentModelType type) {
  parameters_.type = type;
  if (type == AlignmentModelType::kFast && size_class_.empty()) index_positions();
}

void AlignmentTrainer::index_positions() {
  const Bitext& bitext = table_.bitext();
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> classes;
  size_class_.resize(bitext.pairs());
  for (std::size_t pair = 0; pair < bitext.pairs(); ++pair) {
    if (!bitext.usable(pair, table_.max_length())) continue;
    const std::array lengths{bitext.source_words(pair).size(), bitext.target_words(pair).size()};
    const auto [place, is_new] =
        classes.try_emplace({lengths[0], lengths[1]}, static_cast<std::uint32_t>(classes.size()));
    size_class_[pair] = place->second;
    if (!is_new) continue;
    for (std::size_t d = 0; d < 2; ++d) {
      first_mass_[d].push_back(masses_[d].size());
      for (std::size_t j = 1; j <= lengths[1 - d]; ++j)
        masses_[d].push_back({j, lengths[d], lengths[1 - d], 0.0});
    }
  }
}

void AlignmentTrainer::expect(std::size_t begin, std::size_t end, std::size_t threads) {
  const Bitext& bitext = table_.bitext();
  end = std::min(end, bitext.pairs());
  if (begin >= end) return;
  const std::uint64_t first = table_.first_cell(begin);
  const auto cells = static_cast<std::size_t>(table_.first_cell(end) - first);
  for (std::size_t d = 0; d < (symmetric_ ? 1 : 2); ++d) shares_[d].resize(cells);
  if (!table_.keeps_cells()) entries_.resize(cells);
  partnered_.resize(static_cast<std::size_t>(bitext.source_offsets[end] - bitext.source_offsets[begin] +
                                             bitext.target_offsets[end] - bitext.target_offsets[begin]));
  const JumpTables jumps(parameters_, table_.max_length());
  std::vector<Chunk> chunks((end - begin + kChunk - 1) / kChunk);
  std::vector<Worker> workers(std::max<std::size_t>(threads, 1));
  parallel_for(chunks.size(), threads, [&](std::size_t chunk, std::size_t worker) {
    const std::size_t from = begin + chunk * kChunk;
    for (std::size_t pair = from; pair < std::min(end, from + kChunk); ++pair)
      if (bitext.usable(pair, table_.max_length()))
        pair_posteriors(pair, jumps, begin, workers[worker], chunks[chunk]);
  });
  for (const Chunk& chunk : chunks)
    for (std::size_t d = 0; d < 2; ++d) positions_[d].add(chunk.positions[d]);
  if (parameters_.type == AlignmentModelType::kFast) add_position_mass(begin, end);
  add_lexical_counts(begin, end, threads);
}

void AlignmentTrainer::pair_posteriors(std::size_t pair, const JumpTables& jumps, std::uint64_t batch_begin,
                                       Worker& worker, Chunk& chunk) {
  const Bitext& bitext = table_.bitext();
  const auto sources = bitext.source_words(pair);
  const auto targets = bitext.target_words(pair);
  const std::uint64_t first = table_.first_cell(pair) - table_.first_cell(batch_begin);
  const std::uint32_t* entry =
      table_.entries(pair, table_.keeps_cells() ? nullptr : entries_.data() + first);
  const auto floor = static_cast<float>(parameters_.lexical_floor);
  PairPosteriors& posteriors = worker.posteriors;
  posteriors.use(parameters_);
  posteriors.resize(sources.size(), targets.size());
  const std::uint32_t* last = entry + sources.size() * targets.size();
  for (std::size_t ahead = 0; ahead < std::min<std::size_t>(kAhead, last - entry); ++ahead)
    fetch_early(probabilities_.data(), 2 * std::size_t{entry[ahead]});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    posteriors.set_null_source(i, source_null_[sources[i]]);
    for (std::size_t j = 0; j < targets.size(); ++j, ++entry) {
      if (entry + kAhead < last) fetch_early(probabilities_.data(), 2 * std::size_t{entry[kAhead]});
      const bool kept = *entry != Cooccurrence::kNoEntry;
      const float* probability = probabilities_.data() + 2 * static_cast<std::size_t>(kept ? *entry : 0);
      posteriors.set(i, j, floor + (kept ? probability[0] : 0.0f), floor + (kept ? probability[1] : 0.0f));
    }
  }
  for (std::size_t j = 0; j < targets.size(); ++j) posteriors.set_null_target(j, target_null_[targets[j]]);
  posteriors.run(parameters_, jumps, chunk.positions.data());

  float* share = shares_[0].data() + first;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < targets.size(); ++j, ++share) {
      const float forward = posteriors.forward(i, j), backward = posteriors.backward(i, j);
      if (symmetric_) {
        *share = (forward + backward) / 2;
      } else {
        *share = forward;
        shares_[1][static_cast<std::size_t>(share - shares_[0].data())] = backward;
      }
    }
  }
  if (parameters_.type != AlignmentModelType::kFast) return;
  float* partnered = partnered_.data() + (bitext.source_offsets[pair] + bitext.target_offsets[pair]) -
                     (bitext.source_offsets[batch_begin] + bitext.target_offsets[batch_begin]);
  for (std::size_t j = 0; j < targets.size(); ++j) *partnered++ = 1 - posteriors.null_target(j);
  for (std::size_t i = 0; i < sources.size(); ++i) *partnered++ = 1 - posteriors.null_source(i);
}

void AlignmentTrainer::add_position_mass(std::size_t begin, std::size_t end) {
  const Bitext& bitext = table_.bitext();
  const float* partnered = partnered_.data();
  for (std::size_t pair = begin; pair < end; ++pair) {
    const std::array lengths{bitext.source_words(pair).size(), bitext.target_words(pair).size()};
    if (!bitext.usable(pair, table_.max_length())) {
      partnered += lengths[0] + lengths[1];
      continue;
    }
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t j = 0; j < lengths[1 - d]; ++j)
        masses_[d][first_mass_[d][size_class_[pair]] + j].mass += static_cast<double>(*partnered++);
  }
}

// Each part owns some source words, and so some rows; it adds what belongs to them in corpus order.
void AlignmentTrainer::add_lexical_counts(std::size_t begin, std::size_t end, std::size_t threads) {
  const Bitext& bitext = table_.bitext();
  const std::uint64_t first = table_.first_cell(begin);
  const std::size_t parts = std::max<std::size_t>(threads, 1);
  parallel_for(parts, threads, [&](std::size_t part, std::size_t) {
    for (std::size_t pair = begin; pair < end; ++pair) {
      if (!bitext.usable(pair, table_.max_length())) continue;
      const auto sources = bitext.source_words(pair);
      const std::size_t columns = bitext.target_words(pair).size();
      const auto offset = static_cast<std::size_t>(table_.first_cell(pair) - first);
      const std::uint32_t* entries =
          table_.keeps_cells() ? table_.entries(pair, nullptr) : entries_.data() + offset;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i] % parts != part) continue;
        const std::uint32_t* entry = entries + i * columns;
        for (std::size_t d = 0; d < (symmetric_ ? 1 : 2); ++d) {
          const float* share = shares_[d].data() + offset + i * columns;
          for (std::size_t j = 0; j < columns; ++j) fetch_early(counts_[d].data(), entry[j]);
          for (std::size_t j = 0; j < columns; ++j)
            if (entry[j] != Cooccurrence::kNoEntry) counts_[d][entry[j]] += static_cast<double>(share[j]);
        }
      }
    }
  });
}

std::array<double, 2> AlignmentTrainer::maximize(const MaximizeOptions& options, std::size_t threads) {
  maximize_lexicon(options.lexical_prior, threads);
  std::array<double, 2> log_likelihood{};
  for (std::size_t d = 0; d < 2; ++d) {
    DirectionParameters& direction = parameters_.directions[d];
    log_likelihood[d] = positions_[d].log_likelihood;
    if (parameters_.type == AlignmentModelType::kHmm)
      direction.jumps = improve_jumps(direction.jumps, positions_[d].jumps, options.jump_prior);
    if (parameters_.type == AlignmentModelType::kFast)
      direction.tension = best_tension(masses_[d], positions_[d].distance);
    positions_[d] = PositionCounts();
    for (PositionMass& at : masses_[d]) at.mass = 0;
  }
  return log_likelihood;
}

void AlignmentTrainer::maximize_lexicon(double prior, std::size_t threads) {
  const auto columns = table_.columns();
  const auto row_offsets = table_.row_offsets();
  const Buffer<double>& forward = counts_[0];
  const Buffer<double>& backward = counts_[symmetric_ ? 0 : 1];
  const double unseen = weight_of(0, prior);

  for (Buffer<double>& counts : counts_)
    if (!counts.empty())
      for (const std::uint64_t entry : twin_entries_) counts[entry] += twin_count_;

  // Each part owns a range of target words and reads all counts in order.
  std::vector<double> column_sums(table_.target_words(), 0.0);
  const std::size_t parts = std::max<std::size_t>(threads, 1);
  parallel_for(parts, threads, [&](std::size_t part, std::size_t) {
    const std::size_t begin = column_sums.size() * part / parts;
    const std::size_t end = column_sums.size() * (part + 1) / parts;
    for (std::size_t entry = 0; entry < columns.size(); ++entry)
      if (columns[entry] - begin < end - begin) column_sums[columns[entry]] += backward[entry];
  });
  for (std::size_t target = 0; target < column_sums.size(); ++target)
    column_sums[target] = row_factor(column_sums[target], prior, column_sizes_[target]);

  parallel_for(kRowShards, threads, [&](std::size_t shard, std::size_t) {
    // Shards have about equal numbers of entries, not of words.
    const auto first_row = [&](std::size_t s) {
      return std::lower_bound(row_offsets.begin(), row_offsets.end() - 1, columns.size() * s / kRowShards);
    };
    const auto last_row = first_row(shard + 1);
    for (auto row = first_row(shard); row != last_row; ++row) {
      const std::uint64_t begin = row[0], end = row[1];
      double sum = 0;
      for (std::uint64_t entry = begin; entry < end; ++entry) sum += forward[entry];
      const double row_share = row_factor(sum, prior, end - begin);
      for (std::uint64_t entry = begin; entry < end; ++entry) {
        // Most counts die out: all those weigh the same.
        const double weight = forward[entry] < 1e-12 ? unseen : weight_of(forward[entry], prior);
        const double other = symmetric_ ? weight : weight_of(backward[entry], prior);
        probabilities_[2 * entry] = static_cast<float>(weight * row_share);
        probabilities_[2 * entry + 1] = static_cast<float>(other * column_sums[columns[entry]]);
      }
    }
  });
  for (Buffer<double>& counts : counts_) std::fill(counts.data(), counts.data() + counts.size(), 0.0);
}

AlignmentTrainer::Lexicon AlignmentTrainer::lexicon(double threshold) const {
  Lexicon kept;
  kept.row_offsets.push_back(0);
  const auto columns = table_.columns();
  for (std::size_t source = 0; source < table_.source_words(); ++source) {
    const std::uint64_t end = table_.row_offsets()[source + 1];
    for (std::uint64_t entry = table_.row_offsets()[source]; entry < end; ++entry) {
      const float* both = probabilities_.data() + 2 * entry;
      if (static_cast<double>(std::max(both[0], both[1])) < threshold) continue;
      kept.columns.push_back(columns[entry]);
      kept.probabilities.append(both, 2);
    }
    kept.row_offsets.push_back(kept.columns.size());
  }
  return kept;
}

}  // namespace isogloss::align
