// Sorting more than memory holds: records are collected, sorted, written as a run, and the runs merged.
//
// A record is a key, ordered by memcmp (a key before its own extensions), and a value. Records with equal
// keys are added up, already within a run; the sums must not depend on the order of addition, so that the
// result depends on the records alone: not on the memory, nor on who sorted what.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "grammar/scratch.hpp"

namespace isogloss::grammar {

namespace sorting {

/// The first eight bytes as a number that compares as they do; most comparisons end here.
inline std::uint64_t prefix(const std::uint8_t* key, std::size_t size) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (size >= 8) {
    std::uint64_t value;
    std::memcpy(&value, key, 8);
    return __builtin_bswap64(value);
  }
#endif
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 8); ++i)
    value |= std::uint64_t{key[i]} << (8 * (7 - i));
  return value;
}

inline int compare(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::size_t shared = std::min(a.size(), b.size());
  const int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
  if (order != 0) return order;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

using KeySize = std::uint16_t;

}  // namespace sorting

/// Appends a record to a run.
template <class Sum>
void write_record(ScratchFile& file, std::span<const std::uint8_t> key, const Sum& sum) {
  const auto size = static_cast<sorting::KeySize>(key.size());
  file.write(&size, sizeof size);
  file.write(key.data(), key.size());
  file.write(&sum, sizeof sum);
}

/// Merges sorted runs of (key, Sum), equal keys added up with `Sum::add`.
template <class Sum>
class RunMerger {
 public:
  explicit RunMerger(std::vector<ScratchFile> files) {
    runs_.reserve(files.size());
    for (ScratchFile& file : files) runs_.emplace_back(std::move(file));
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].advance()) heap_.push_back(i);
    for (std::size_t i = heap_.size(); i-- > 0;) sift(i);
  }

  /// Goes to the next key; false when there is none.
  bool next() {
    if (heap_.empty()) return false;
    const Run& least = runs_[heap_.front()];
    key_.assign(least.key.begin(), least.key.end());
    sum_ = least.sum;
    const std::uint64_t prefix = least.prefix;
    advance_first();
    while (!heap_.empty()) {
      const Run& other = runs_[heap_.front()];
      if (other.prefix != prefix || sorting::compare(other.key, key_) != 0) break;
      sum_.add(other.sum);
      advance_first();
    }
    return true;
  }

  /// Both are valid until the next call of `next`.
  std::span<const std::uint8_t> key() const { return key_; }
  const Sum& sum() const { return sum_; }

 private:
  struct Run {
    explicit Run(ScratchFile file) : reader(std::move(file)) {}

    bool advance() {
      const std::uint8_t* head = reader.fetch(sizeof(sorting::KeySize));
      if (head == nullptr) return false;
      sorting::KeySize size;
      std::memcpy(&size, head, sizeof size);
      const std::uint8_t* body = reader.fetch(size + sizeof(Sum));
      if (body == nullptr) throw std::runtime_error("a scratch file has shrunk while it was in use");
      key = {body, size};
      std::memcpy(&sum, body + size, sizeof(Sum));
      prefix = sorting::prefix(body, size);
      return true;
    }

    ScratchReader reader;
    std::span<const std::uint8_t> key;
    Sum sum;
    std::uint64_t prefix = 0;
  };

  bool less(std::size_t a, std::size_t b) const {
    const Run& x = runs_[a];
    const Run& y = runs_[b];
    return x.prefix != y.prefix ? x.prefix < y.prefix : sorting::compare(x.key, y.key) < 0;
  }

  void advance_first() {
    if (!runs_[heap_.front()].advance()) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sift(0);
  }

  void sift(std::size_t at) {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) return;
      if (child + 1 < heap_.size() && less(heap_[child + 1], heap_[child])) ++child;
      if (!less(heap_[child], heap_[at])) return;
      std::swap(heap_[at], heap_[child]);
      at = child;
    }
  }

  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;
  std::vector<std::uint8_t> key_;
  Sum sum_{};
};

/// Collects records in `memory` bytes and writes them as sorted runs of (key, Sum). A Sum is made from a Raw
/// and grows by `add` of another Raw or Sum.
template <class Raw, class Sum>
class RunSorter {
  static_assert(std::is_trivially_copyable_v<Raw> && std::is_trivially_copyable_v<Sum>);

 public:
  RunSorter(ScratchSpace& scratch, std::size_t memory)
      : scratch_(&scratch), memory_(std::min(memory, std::size_t{3} << 30)) {}

  void add(std::span<const std::uint8_t> key, const Raw& raw) {
    const std::size_t record = sizeof(sorting::KeySize) + key.size() + sizeof(Raw);
    if (records_.size() + record + (entries_.size() + 1) * sizeof(Entry) > memory_ && !entries_.empty())
      spill();
    const std::size_t at = records_.size();
    const auto size = static_cast<sorting::KeySize>(key.size());
    append(&size, sizeof size);
    append(key.data(), key.size());
    append(&raw, sizeof raw);
    entries_.push_back({sorting::prefix(key.data(), key.size()), static_cast<std::uint32_t>(at)});
  }

  /// Ends collecting and hands over the runs; the sorter is empty afterward and its memory is free.
  std::vector<ScratchFile> finish() {
    if (!entries_.empty()) spill();
    records_ = {};
    entries_ = {};
    return std::move(runs_);
  }

 private:
  static constexpr std::size_t kMostRuns = 64;  // open files, and buffers, of one merge

  struct Entry {
    std::uint64_t prefix;
    std::uint32_t record;
  };

  std::span<const std::uint8_t> key_of(const Entry& entry) const {
    const std::uint8_t* record = records_.data() + entry.record;
    sorting::KeySize size;
    std::memcpy(&size, record, sizeof size);
    return {record + sizeof size, size};
  }

  void append(const void* data, std::size_t size) {
    records_.append(static_cast<const std::uint8_t*>(data), size);
  }

  static Raw raw_behind(std::span<const std::uint8_t> key) {
    Raw raw;
    std::memcpy(&raw, key.data() + key.size(), sizeof raw);
    return raw;
  }

  void spill() {
    std::sort(entries_.data(), entries_.data() + entries_.size(), [this](const Entry& a, const Entry& b) {
      return a.prefix != b.prefix ? a.prefix < b.prefix : sorting::compare(key_of(a), key_of(b)) < 0;
    });
    if (runs_.size() >= kMostRuns) merge_runs();
    ScratchFile file = scratch_->new_file();
    for (std::size_t i = 0; i < entries_.size();) {
      const std::span<const std::uint8_t> key = key_of(entries_[i]);
      const std::uint64_t prefix = entries_[i].prefix;
      Sum sum(raw_behind(key));
      for (++i; i < entries_.size() && entries_[i].prefix == prefix; ++i) {
        const std::span<const std::uint8_t> other = key_of(entries_[i]);
        if (sorting::compare(other, key) != 0) break;
        sum.add(raw_behind(other));
      }
      write_record(file, key, sum);
    }
    runs_.push_back(std::move(file));
    records_.clear();
    entries_.clear();
  }

  void merge_runs() {
    ScratchFile merged = scratch_->new_file();
    RunMerger<Sum> merger(std::exchange(runs_, {}));
    while (merger.next()) write_record(merged, merger.key(), merger.sum());
    runs_.push_back(std::move(merged));
  }

  ScratchSpace* scratch_;
  std::size_t memory_;
  Buffer<std::uint8_t> records_;
  Buffer<Entry> entries_;
  std::vector<ScratchFile> runs_;
};

}  // namespace isogloss::grammar
