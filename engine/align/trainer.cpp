#include "align/trainer.hpp"

#include <algorithm>
#include <cmath>
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

/// What the expected counts of a row or a column cannot exceed.
double most_counted(const Cooccurrence& table) {
  return static_cast<double>(std::max(table.bitext().source.size(), table.bitext().target.size()));
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

}  // namespace

struct AlignmentTrainer::Worker {
  PairPosteriors posteriors;
};

AlignmentTrainer::AlignmentTrainer(const Cooccurrence& table, const AlignmentParameters& parameters,
                                   bool symmetric)
    : table_(table),
      parameters_(parameters),
      symmetric_(symmetric),
      source_null_(shares_of(table.source_frequency())),
      target_null_(shares_of(table.target_frequency())),
      column_sizes_(table.target_words(), 0),
      scale_(most_counted(table)) {
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
  scale_ = CountScale(most_counted(table_) + count);
  twin_count_ = scale_.fixed(count);
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
  size_class_.resize(bitext.pairs());
  for (std::size_t pair = 0; pair < bitext.pairs(); ++pair)
    if (bitext.usable(pair, table_.max_length()))
      size_class_[pair] =
          find_size_class(bitext.source_words(pair).size(), bitext.target_words(pair).size());
}

std::uint32_t AlignmentTrainer::find_size_class(std::size_t source_length, std::size_t target_length) {
  const auto [place, is_new] = size_classes_.try_emplace(
      std::pair(source_length, target_length), static_cast<std::uint32_t>(size_classes_.size()));
  if (is_new) {
    const std::array lengths{source_length, target_length};
    for (std::size_t d = 0; d < 2; ++d) {
      first_mass_[d].push_back(masses_[d].size());
      for (std::size_t j = 1; j <= lengths[1 - d]; ++j)
        masses_[d].push_back({j, lengths[d], lengths[1 - d], 0.0});
    }
  }
  return place->second;
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
  const std::size_t before = positions_.size();
  const std::size_t chunks = (end - begin + kChunk - 1) / kChunk;
  positions_.resize(before + chunks);
  std::vector<Worker> workers(std::max<std::size_t>(threads, 1));
  parallel_for(chunks, threads, [&](std::size_t chunk, std::size_t worker) {
    const std::size_t from = begin + chunk * kChunk;
    for (std::size_t pair = from; pair < std::min(end, from + kChunk); ++pair)
      if (bitext.usable(pair, table_.max_length()))
        pair_posteriors(pair, jumps, begin, workers[worker], positions_[before + chunk]);
  });
  if (parameters_.type == AlignmentModelType::kFast) add_position_mass(begin, end);
  add_lexical_counts(begin, end, threads);
}

void AlignmentTrainer::pair_posteriors(std::size_t pair, const JumpTables& jumps, std::uint64_t batch_begin,
                                       Worker& worker, BothPositions& positions) {
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
  posteriors.run(parameters_, jumps, positions.data());

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
            if (entry[j] != Cooccurrence::kNoEntry) counts_[d][entry[j]] += scale_.fixed(static_cast<double>(share[j]));
        }
      }
    }
  });
}

void AlignmentTrainer::add_positions(std::span<const BothPositions> positions) {
  positions_.insert(positions_.end(), positions.begin(), positions.end());
}

AlignmentTrainer::Masses AlignmentTrainer::masses() const {
  std::vector<std::pair<std::size_t, std::size_t>> in_order(size_classes_.size());
  for (const auto& [lengths, size_class] : size_classes_) in_order[size_class] = lengths;
  Masses found;
  for (std::size_t size_class = 0; size_class < in_order.size(); ++size_class) {
    const std::array lengths{in_order[size_class].first, in_order[size_class].second};
    found.source_lengths.push_back(static_cast<std::uint32_t>(lengths[0]));
    found.target_lengths.push_back(static_cast<std::uint32_t>(lengths[1]));
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t j = 0; j < lengths[1 - d]; ++j)
        found.masses.push_back(masses_[d][first_mass_[d][size_class] + j].mass);
  }
  return found;
}

void AlignmentTrainer::add_masses(std::span<const std::uint32_t> source_lengths,
                                  std::span<const std::uint32_t> target_lengths,
                                  std::span<const double> masses) {
  if (source_lengths.size() != target_lengths.size())
    throw std::invalid_argument("lengths of both sides are expected");
  std::size_t next = 0;
  for (std::size_t i = 0; i < source_lengths.size(); ++i) {
    const std::array<std::size_t, 2> lengths{source_lengths[i], target_lengths[i]};
    if (masses.size() - next < lengths[0] + lengths[1])
      throw std::invalid_argument("a mass is expected for each position");
    const std::uint32_t size_class = find_size_class(lengths[0], lengths[1]);
    for (std::size_t d = 0; d < 2; ++d)
      for (std::size_t j = 0; j < lengths[1 - d]; ++j)
        masses_[d][first_mass_[d][size_class] + j].mass += masses[next++];
  }
}

void AlignmentTrainer::resume(std::span<const float> probabilities, std::span<const float> source_null,
                              std::span<const float> target_null, CountScale scale) {
  if (probabilities.size() != probabilities_.size() || source_null.size() != source_null_.size() ||
      target_null.size() != target_null_.size())
    throw std::invalid_argument("these probabilities belong to another table");
  std::copy(probabilities.begin(), probabilities.end(), probabilities_.data());
  source_null_.assign(source_null.begin(), source_null.end());
  target_null_.assign(target_null.begin(), target_null.end());
  scale_ = scale;
}

std::array<double, 2> AlignmentTrainer::maximize(const MaximizeOptions& options, std::size_t threads) {
  maximize_lexicon(options.lexical_prior, threads);
  std::array<double, 2> log_likelihood{};
  for (std::size_t d = 0; d < 2; ++d) {
    DirectionParameters& direction = parameters_.directions[d];
    PositionCounts counted;
    for (const BothPositions& chunk : positions_) counted.add(chunk[d]);
    log_likelihood[d] = counted.log_likelihood;
    if (parameters_.type == AlignmentModelType::kHmm)
      direction.jumps = improve_jumps(direction.jumps, counted.jumps, options.jump_prior);
    if (parameters_.type == AlignmentModelType::kFast)
      direction.tension = best_tension(masses_[d], counted.distance);
    for (PositionMass& at : masses_[d]) at.mass = 0;
  }
  positions_.clear();
  return log_likelihood;
}

void AlignmentTrainer::maximize_lexicon(double prior, std::size_t threads) {
  const auto columns = table_.columns();
  const auto row_offsets = table_.row_offsets();

  for (Buffer<std::int64_t>& counts : counts_)
    if (!counts.empty())
      for (const std::uint64_t entry : twin_entries_) counts[entry] += twin_count_;

  const LexicalRows rows{row_offsets, columns, counts(0), counts(symmetric_ ? 0 : 1)};
  const std::vector<double> factors = column_factors(column_sums(threads), column_sizes_, scale_, prior);
  parallel_for(kRowShards, threads, [&](std::size_t shard, std::size_t) {
    // Shards have about equal numbers of entries, not of words.
    const auto first_row = [&](std::size_t s) {
      const auto place =
          std::lower_bound(row_offsets.begin(), row_offsets.end() - 1, columns.size() * s / kRowShards);
      return static_cast<std::size_t>(place - row_offsets.begin());
    };
    maximize_rows(rows, first_row(shard), first_row(shard + 1), factors, scale_, prior,
                  probabilities_.data());
  });
  for (Buffer<std::int64_t>& counts : counts_)
    std::fill(counts.data(), counts.data() + counts.size(), std::int64_t{0});
}

std::vector<std::int64_t> AlignmentTrainer::column_sums(std::size_t threads) const {
  const auto columns = table_.columns();
  const std::span<const std::int64_t> backward = counts(symmetric_ ? 0 : 1);
  std::vector<std::int64_t> sums(table_.target_words(), 0);
  // Each part owns a range of target words and reads all counts.
  const std::size_t parts = std::max<std::size_t>(threads, 1);
  parallel_for(parts, threads, [&](std::size_t part, std::size_t) {
    const std::size_t begin = sums.size() * part / parts, end = sums.size() * (part + 1) / parts;
    for (std::size_t entry = 0; entry < columns.size(); ++entry)
      if (columns[entry] - begin < end - begin) sums[columns[entry]] += backward[entry];
  });
  return sums;
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
