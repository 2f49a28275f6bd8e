// Open-addressing tables in buckets of one cache line, made once and then only read. What is read may be a
// mapped file from a stranger: a damaged table gives wrong answers, but every search in it ends. That, values
// beside their keys and a stored form of its own are why this is not a base/index.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/large_pages.hpp"

#if defined(__GNUC__)
#define ISOGLOSS_PREFETCH(address) __builtin_prefetch(address)
#else
#define ISOGLOSS_PREFETCH(address) static_cast<void>(address)
#endif

namespace isogloss::lm {

/// As many keys as fit a cache line beside their values. Slots are filled from the front; 0 marks an empty
/// one, so the last slot tells whether the bucket is full.
template <class ValueType, std::size_t kSlotCount>
struct alignas(8) Bucket {
  using Value = ValueType;
  static constexpr std::size_t kSlots = kSlotCount;

  std::uint64_t keys[kSlots];
  Value values[kSlots];

  /// The slot of `key`, or kSlots. Without branches: which slot it is cannot be predicted.
  std::size_t slot(std::uint64_t key) const {
    unsigned hits = 1u << kSlots;
    for (std::size_t i = 0; i < kSlots; ++i) hits |= static_cast<unsigned>(keys[i] == key) << i;
    return static_cast<std::size_t>(std::countr_zero(hits));
  }
  bool full() const { return keys[kSlots - 1] != 0; }
};

/// No search looks into more buckets than this; no table is made that would need it.
inline constexpr std::size_t kMaxProbes = 64;

/// Keys are odd as they are stored, so that none is 0.
constexpr std::uint64_t stored_key(std::uint64_t key) { return key | 1; }

/// A read-only table over somebody else's memory.
template <class BucketType>
class Table {
 public:
  using Value = typename BucketType::Value;
  static_assert(sizeof(BucketType) == kCacheLine);

  /// An empty table.
  Table() : buckets_(&kEmpty), count_(1) {}

  /// Throws std::invalid_argument past 2^32 buckets.
  explicit Table(std::span<const BucketType> buckets) : Table() {
    if (buckets.size() >> 32 != 0) throw std::invalid_argument("table: more than 2^32 buckets");
    if (!buckets.empty()) *this = Table(buckets.data(), buckets.size());
  }

  std::size_t bucket_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key >> 32) * count_ >> 32);
  }

  void prefetch(std::uint64_t key) const { ISOGLOSS_PREFETCH(buckets_ + bucket_of(key)); }

  /// The value of `key`, or nullptr.
  const Value* find(std::uint64_t key) const {
    key = stored_key(key);
    const std::size_t at = bucket_of(key);
    const BucketType& bucket = buckets_[at];
    const std::size_t slot = bucket.slot(key);
    if (slot < BucketType::kSlots) return &bucket.values[slot];
    return bucket.full() ? find_further(key, at) : nullptr;
  }

 private:
  static constexpr BucketType kEmpty{};

  Table(const BucketType* buckets, std::size_t count) : buckets_(buckets), count_(count) {}

  const Value* find_further(std::uint64_t key, std::size_t at) const {
    for (std::size_t probe = 1; probe < kMaxProbes; ++probe) {
      if (++at == count_) at = 0;
      const BucketType& bucket = buckets_[at];
      const std::size_t slot = bucket.slot(key);
      if (slot < BucketType::kSlots) return &bucket.values[slot];
      if (!bucket.full()) return nullptr;
    }
    return nullptr;
  }

  const BucketType* buckets_;
  std::size_t count_;
};

/// Fills a table. Its content depends on the order of insertion alone.
template <class BucketType>
class TableBuilder {
 public:
  using Value = typename BucketType::Value;

  /// Room for `entries`; `load` is the share of slots in use when all are in.
  explicit TableBuilder(std::size_t entries, double load)
      : count_(entries == 0 ? 0
                            : 1 + static_cast<std::size_t>(static_cast<double>(entries) /
                                                           (load * BucketType::kSlots))) {
    buckets_ = make_large<BucketType>(count_);
    std::memset(static_cast<void*>(buckets_.get()), 0, count_ * sizeof(BucketType));
  }

  /// The value's place and whether the key is new; a new one holds `value`. Throws std::length_error if the
  /// keys crowd together so much that a search would need more than kMaxProbes steps: chance does not do
  /// that, somebody's intent may.
  std::pair<Value*, bool> insert(std::uint64_t key, Value value) {
    key = stored_key(key);
    const Table<BucketType> places = table();
    std::size_t at = places.bucket_of(key);
    for (std::size_t probe = 0; probe < std::min(count_, kMaxProbes); ++probe) {
      BucketType& bucket = buckets_[at];
      std::size_t slot = bucket.slot(key);
      if (slot < BucketType::kSlots) return {&bucket.values[slot], false};
      if (!bucket.full()) {
        slot = bucket.slot(0);
        bucket.keys[slot] = key;
        bucket.values[slot] = value;
        return {&bucket.values[slot], true};
      }
      if (++at == count_) at = 0;
    }
    throw std::length_error("the keys of too many n-grams coincide");
  }

  Value* find(std::uint64_t key) { return const_cast<Value*>(table().find(key)); }

  Table<BucketType> table() const { return Table<BucketType>(buckets()); }
  std::span<const BucketType> buckets() const { return {buckets_.get(), count_}; }

  /// Calls `visit(key, value)` for every entry.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const BucketType& bucket : buckets())
      for (std::size_t slot = 0; slot < BucketType::kSlots && bucket.keys[slot] != 0; ++slot)
        visit(bucket.keys[slot], bucket.values[slot]);
  }

  /// Gives the buckets to the caller.
  LargeBlock<BucketType> release() {
    count_ = 0;
    return std::move(buckets_);
  }

 private:
  std::size_t count_;
  LargeBlock<BucketType> buckets_;
};

}  // namespace isogloss::lm
