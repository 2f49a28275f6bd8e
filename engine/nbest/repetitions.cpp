#include "nbest/repetitions.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/offsets.hpp"

namespace isogloss::nbest {
namespace {

/// A row of values between two offsets.
template <class T>
std::span<const T> row_of(std::span<const T> values, std::span<const std::int64_t> offsets, std::size_t row) {
  const auto begin = static_cast<std::size_t>(offsets[row]);
  return values.subspan(begin, static_cast<std::size_t>(offsets[row + 1]) - begin);
}

class Rows {
 public:
  explicit Rows(const CandidateView& list) : list_(list) {}

  std::uint64_t hash(std::size_t row) const {
    std::uint64_t hash = 0;
    for (const WordId word : tokens(row)) hash = combine64(hash, word);
    // Adding 0 makes -0 the same as 0.
    for (const double value : dense(row)) hash = combine64(hash, std::bit_cast<std::uint64_t>(value + 0.0));
    if (sparse()) {
      for (const std::uint32_t column : columns(row)) hash = combine64(hash, column);
      for (const float value : values(row)) hash = combine64(hash, std::bit_cast<std::uint32_t>(value + 0.0f));
    }
    return hash;
  }

  bool equal(std::size_t a, std::size_t b) const {
    if (!std::ranges::equal(tokens(a), tokens(b)) || !same(dense(a), dense(b))) return false;
    return !sparse() || (std::ranges::equal(columns(a), columns(b)) && same(values(a), values(b)));
  }

 private:
  /// Bit for bit, so that what is not a number equals itself, but -0 equals 0.
  template <class T>
  static bool same(std::span<const T> a, std::span<const T> b) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::ranges::equal(
        a, b, [](T x, T y) { return std::bit_cast<Bits>(x + T{0}) == std::bit_cast<Bits>(y + T{0}); });
  }

  bool sparse() const { return !list_.sparse_offsets.empty(); }
  std::span<const WordId> tokens(std::size_t row) const { return row_of(list_.tokens, list_.token_offsets, row); }
  std::span<const double> dense(std::size_t row) const {
    return list_.dense.subspan(row * list_.dense_columns, list_.dense_columns);
  }
  std::span<const std::uint32_t> columns(std::size_t row) const {
    return row_of(list_.columns, list_.sparse_offsets, row);
  }
  std::span<const float> values(std::size_t row) const { return row_of(list_.values, list_.sparse_offsets, row); }

  const CandidateView& list_;
};

}  // namespace

void CandidateView::check() const {
  if (sentence_offsets.empty() || token_offsets.empty()) throw std::invalid_argument("a list needs offsets");
  check_offsets(sentence_offsets, sentence_offsets.size() - 1, candidates(), "sentences");
  check_offsets(token_offsets, candidates(), tokens.size(), "tokens");
  if (dense.size() != candidates() * dense_columns)
    throw std::invalid_argument("dense features differ in their number of candidates");
  if (sparse_offsets.empty()) return;
  check_offsets(sparse_offsets, candidates(), columns.size(), "sparse features");
  if (columns.size() != values.size()) throw std::invalid_argument("sparse columns and values differ in number");
}

std::vector<std::int64_t> first_of_each(const CandidateView& list) {
  const Rows rows(list);
  std::vector<std::int64_t> kept;
  std::vector<std::uint64_t> hashes;  // of the sentence's candidates that were kept
  Index index;
  for (std::size_t sentence = 0; sentence + 1 < list.sentence_offsets.size(); ++sentence) {
    const std::size_t first = kept.size();
    hashes.clear();
    index.clear();
    const auto row_at = [&](std::uint32_t number) { return static_cast<std::size_t>(kept[first + number]); };
    for (auto row = static_cast<std::size_t>(list.sentence_offsets[sentence]);
         row < static_cast<std::size_t>(list.sentence_offsets[sentence + 1]); ++row) {
      const std::uint64_t hash = mix64(rows.hash(row));
      index.find_or_add(
          hash, [&](std::uint32_t other) { return hashes[other] == hash && rows.equal(row_at(other), row); },
          [&](std::uint32_t other) { return hashes[other]; },
          [&] {
            hashes.push_back(hash);
            kept.push_back(static_cast<std::int64_t>(row));
          });
    }
  }
  return kept;
}

}  // namespace isogloss::nbest
