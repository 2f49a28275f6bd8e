#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/buffer.hpp"

namespace isogloss::align {

/// One alignment point: positions in the source and in the target sentence, from 0.
struct Link {
  std::uint32_t source;
  std::uint32_t target;

  friend bool operator==(const Link&, const Link&) = default;
};

/// How the alignments of two directions are made into one (Koehn, Och & Marcu 2003; Koehn et al. 2005).
enum class Symmetrization : std::uint8_t {
  kIntersection,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
  kForward,   ///< the links of the forward direction alone
  kBackward,  ///< those of the backward direction alone
};

/// Scratch space for making one alignment out of two, pair by pair.
class Symmetrizer {
 public:
  void resize(std::size_t source_words, std::size_t target_words);

  /// Positions must lie inside the sentences given to `resize`.
  void add_forward(Link link) { cells_[cell(link)] |= kForwardBit; }
  void add_backward(Link link) { cells_[cell(link)] |= kBackwardBit; }

  /// Appends the links of the current pair, sorted by source position, then target.
  void append(Symmetrization method, Buffer<Link>& links);

 private:
  static constexpr std::uint8_t kForwardBit = 1, kBackwardBit = 2, kChosen = 4;

  std::size_t cell(Link link) const { return link.source * target_words_ + link.target; }
  bool has(std::size_t cell, std::uint8_t bits) const { return (cells_[cell] & bits) == bits; }
  void choose(Link link);
  void grow_diag();
  void finish(std::uint8_t bit, bool both_free);

  std::size_t source_words_ = 0, target_words_ = 0;
  Buffer<std::uint8_t> cells_, source_linked_, target_linked_;
};

/// Makes one alignment out of two, sentence by sentence, appending links and the offset of each sentence's
/// end. Offsets, one more than sentences, must fit the links. Throws std::invalid_argument if the numbers of
/// sentences differ or positions are beyond any sentence.
void symmetrize(std::span<const Link> forward, std::span<const std::int64_t> forward_offsets,
                std::span<const Link> backward, std::span<const std::int64_t> backward_offsets,
                Symmetrization method, Buffer<Link>& links, Buffer<std::int64_t>& offsets);

/// Words in each sentence of both sides.
struct SentenceLengths {
  std::span<const std::int64_t> source;
  std::span<const std::int64_t> target;
};

/// Reads lines of `i-j` points (the Pharaoh format), appending links and the offset of each line's end.
///
/// `first_line` is the number of the first line in its file, from 1. With the lengths of these lines'
/// sentences, points outside a sentence and lines beyond the last sentence are refused. Throws LineError.
void parse_pharaoh(std::string_view text, std::uint64_t first_line,
                   const std::optional<SentenceLengths>& lengths, Buffer<Link>& links,
                   Buffer<std::int64_t>& offsets);

/// Appends one line of `i-j` points for each sentence; `offsets` has one more entry than there are sentences.
void format_pharaoh(std::span<const Link> links, std::span<const std::int64_t> offsets, Buffer<char>& text);

}  // namespace isogloss::align
