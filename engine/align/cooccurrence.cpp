#include "align/cooccurrence.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/parallel.hpp"

namespace isogloss::align {
namespace {

constexpr std::size_t kPieces = 16;  // of the work of one call; workers claim them

std::vector<std::uint32_t> frequencies(std::span<const WordId> words, std::size_t types) {
  std::vector<std::uint32_t> frequency(types, 0);
  for (const WordId word : words) {
    if (word >= types) throw std::invalid_argument("a word number is outside the vocabulary");
    ++frequency[word];
  }
  return frequency;
}

}  // namespace

/// Per-worker marks over the target vocabulary; a mark counts only if its stamp is the current row's.
struct Cooccurrence::Scratch {
  std::vector<WordId> stamp;
  std::vector<std::uint32_t> value;
  std::vector<WordId> row;

  void prepare(std::size_t target_words) {
    if (stamp.size() == target_words) return;
    stamp.assign(target_words, kNoWord);
    value.resize(target_words);
  }
};

Cooccurrence::Cooccurrence(const Bitext& bitext, std::size_t source_words, std::size_t target_words,
                           std::size_t max_length)
    : bitext_(bitext), max_length_(max_length) {
  bitext_.check();
  source_frequency_ = frequencies(bitext_.source, source_words);
  target_frequency_ = frequencies(bitext_.target, target_words);
  const std::size_t pairs = bitext_.pairs();
  if (pairs >= kNoWord) throw std::length_error("more than 2^32 - 2 sentence pairs");
  first_cell_.resize(pairs + 1);
  first_occurrence_.assign(source_words + 1, 0);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    first_cell_[pair] = cells_;
    if (!bitext_.usable(pair, max_length)) continue;
    cells_ += bitext_.source_words(pair).size() * bitext_.target_words(pair).size();
    for (const WordId word : bitext_.source_words(pair)) ++first_occurrence_[word + 1];
  }
  first_cell_[pairs] = cells_;
  for (std::size_t word = 0; word < source_words; ++word)
    first_occurrence_[word + 1] += first_occurrence_[word];
  occurrences_.resize(first_occurrence_.back());
  std::vector<std::uint64_t> place(first_occurrence_.begin(), first_occurrence_.end() - 1);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if (!bitext_.usable(pair, max_length)) continue;
    const auto words = bitext_.source_words(pair);
    for (std::size_t position = 0; position < words.size(); ++position)
      occurrences_[place[words[position]]++] = {static_cast<std::uint32_t>(pair),
                                                static_cast<std::uint32_t>(position)};
  }
  row_offsets_.push_back(0);
}

std::span<const Cooccurrence::Occurrence> Cooccurrence::occurrences(WordId source) const {
  return {occurrences_.data() + first_occurrence_[source],
          static_cast<std::size_t>(first_occurrence_[source + 1] - first_occurrence_[source])};
}

std::vector<Cooccurrence::Rows> Cooccurrence::next_rows(WordId& next, std::uint64_t work) const {
  std::vector<Rows> pieces;
  const std::uint64_t piece_work = work / kPieces + 1;
  while (next < source_words() && pieces.size() < kPieces) {
    const WordId begin = next;
    std::uint64_t done = 0;
    for (; next < source_words() && done < piece_work; ++next) {
      done += 1;
      for (const Occurrence& at : occurrences(next)) done += bitext_.target_words(at.pair).size();
    }
    pieces.push_back({begin, next});
  }
  return pieces;
}

std::size_t Cooccurrence::level(WordId source, WordId target, std::uint32_t together) const {
  if (together > 1) return 0;
  const std::uint32_t rarer = std::min(source_frequency_[source], target_frequency_[target]);
  return static_cast<std::size_t>(std::bit_width(rarer));
}

/// The target words of one row in `scratch.row`, and how often they were met in `scratch.value`.
void Cooccurrence::collect(WordId source, Scratch& scratch) const {
  scratch.row.clear();
  for (const Occurrence& at : occurrences(source)) {
    for (const WordId target : bitext_.target_words(at.pair)) {
      if (scratch.stamp[target] != source) {
        scratch.stamp[target] = source;
        scratch.value[target] = 0;
        scratch.row.push_back(target);
      }
      ++scratch.value[target];
    }
  }
}

bool Cooccurrence::survey(std::uint64_t work, std::size_t threads) {
  const std::vector<Rows> pieces = next_rows(surveyed_, work);
  std::vector<std::array<std::uint64_t, kLevels>> found(pieces.size());
  std::vector<Scratch> scratch(std::max<std::size_t>(threads, 1));
  parallel_for(pieces.size(), threads, [&](std::size_t piece, std::size_t worker) {
    Scratch& mine = scratch[worker];
    mine.prepare(target_words());
    for (WordId source = pieces[piece].begin; source < pieces[piece].end; ++source) {
      collect(source, mine);
      for (const WordId target : mine.row) ++found[piece][level(source, target, mine.value[target])];
    }
  });
  for (const auto& piece : found)
    for (std::size_t l = 0; l < kLevels; ++l) levels_[l] += piece[l];
  return surveyed_ >= source_words();
}

bool Cooccurrence::build(std::uint64_t work, std::size_t threads) {
  if (keeping_ && cell_entries_.size() != cells_) cell_entries_.resize(cells_, kNoEntry);
  const std::vector<Rows> pieces = next_rows(built_, work);
  std::vector<Buffer<WordId>> columns(pieces.size());
  std::vector<Buffer<std::uint64_t>> sizes(pieces.size());
  std::vector<Scratch> scratch(std::max<std::size_t>(threads, 1));
  parallel_for(pieces.size(), threads, [&](std::size_t piece, std::size_t worker) {
    Scratch& mine = scratch[worker];
    mine.prepare(target_words());
    for (WordId source = pieces[piece].begin; source < pieces[piece].end; ++source) {
      collect(source, mine);
      if (level_ < kLevels)
        std::erase_if(mine.row,
                      [&](WordId target) { return level(source, target, mine.value[target]) > level_; });
      std::sort(mine.row.begin(), mine.row.end());
      columns[piece].append(mine.row.data(), mine.row.size());
      sizes[piece].push_back(mine.row.size());
    }
  });
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    columns_.append(columns[piece].data(), columns[piece].size());
    for (const std::uint64_t size : sizes[piece]) row_offsets_.push_back(row_offsets_.back() + size);
  }
  if (columns_.size() >= kNoEntry)
    throw std::length_error("more than 2^32 - 2 pairs of words occur together");
  if (keeping_) {
    for (Scratch& each : scratch) each.stamp.clear();  // the stamps of the first pass are of the same rows
    parallel_for(pieces.size(), threads, [&](std::size_t piece, std::size_t worker) {
      scratch[worker].prepare(target_words());
      fill_cells(pieces[piece], scratch[worker]);
    });
  }
  const bool complete = built_ >= source_words();
  if (complete) occurrences_ = {};
  return complete;
}

void Cooccurrence::restore(std::span<const std::uint64_t> row_offsets, std::span<const WordId> columns,
                           std::span<const std::uint32_t> cells) {
  if (row_offsets.size() != source_words() + 1 || row_offsets.front() != 0 ||
      row_offsets.back() != columns.size() || !std::is_sorted(row_offsets.begin(), row_offsets.end()) ||
      cells.size() != cells_)
    throw std::invalid_argument("the table belongs to other sentence pairs");
  for (const WordId column : columns)
    if (column >= target_words()) throw std::invalid_argument("a word number is outside the vocabulary");
  for (const std::uint32_t entry : cells)
    if (entry >= columns.size() && entry != kNoEntry)
      throw std::invalid_argument("a cell's entry is outside the table");
  row_offsets_ = {};
  row_offsets_.append(row_offsets.data(), row_offsets.size());
  columns_ = {};
  columns_.append(columns.data(), columns.size());
  cell_entries_ = {};
  cell_entries_.append(cells.data(), cells.size());
  keeping_ = true;
  built_ = static_cast<WordId>(source_words());
  occurrences_ = {};
}

void Cooccurrence::fill_cells(Rows rows, Scratch& scratch) {
  for (WordId source = rows.begin; source < rows.end; ++source) {
    for (std::uint64_t entry = row_offsets_[source]; entry < row_offsets_[source + 1]; ++entry) {
      scratch.stamp[columns_[entry]] = source;
      scratch.value[columns_[entry]] = static_cast<std::uint32_t>(entry);
    }
    for (const Occurrence& at : occurrences(source)) {
      const auto targets = bitext_.target_words(at.pair);
      std::uint32_t* cells = cell_entries_.data() + first_cell_[at.pair] + at.position * targets.size();
      for (std::size_t j = 0; j < targets.size(); ++j)
        if (scratch.stamp[targets[j]] == source) cells[j] = scratch.value[targets[j]];
    }
  }
}

const std::uint32_t* Cooccurrence::entries(std::size_t pair, std::uint32_t* scratch) const {
  if (keeping_) return cell_entries_.data() + first_cell_[pair];
  std::uint32_t* cell = scratch;
  for (const WordId source : bitext_.source_words(pair)) {
    const WordId* row = columns_.data() + row_offsets_[source];
    const WordId* row_end = columns_.data() + row_offsets_[source + 1];
    for (const WordId target : bitext_.target_words(pair)) {
      const WordId* place = std::lower_bound(row, row_end, target);
      const bool found = place != row_end && *place == target;
      *cell++ = found ? static_cast<std::uint32_t>(place - columns_.data()) : kNoEntry;
    }
  }
  return scratch;
}

}  // namespace isogloss::align
