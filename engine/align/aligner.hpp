#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "align/bitext.hpp"
#include "align/lexical_table.hpp"
#include "align/links.hpp"
#include "align/parameters.hpp"
#include "base/buffer.hpp"

namespace isogloss::align {

struct JumpTables;

/// Word numbers from here on are of words that the model does not know; the same number on both sides means
/// the same string.
inline constexpr WordId kUnknownWords = 0x80000000u;

struct AlignOptions {
  Symmetrization method = Symmetrization::kGrowDiagFinalAnd;
  /// A direction links a word to its likeliest partner if the mean of both directions' posteriors is at
  /// least this and greater than that of having no partner.
  double threshold = 0.3;
  /// Pairs with a longer side get no links.
  std::size_t max_length = 250;
};

/// A trained model at work on sentence pairs. A view of the model's arrays; many threads may use it.
///
/// Unknown words: equal strings are taken for each other's translation, two different unknown words are
/// likelier partners than an unknown and a known one, and otherwise the position model decides.
class Aligner {
 public:
  Aligner(const LexicalTable& table, std::span<const float> source_null, std::span<const float> target_null,
          const AlignmentParameters& parameters);

  /// Appends the links of each pair in [begin, end) and the offset of its last. Word numbers may be anything.
  void align(const Bitext& bitext, std::size_t begin, std::size_t end, const AlignOptions& options,
             std::size_t threads, Buffer<Link>& links, Buffer<std::int64_t>& offsets) const;

 private:
  struct Worker;

  void align_pair(const Bitext& bitext, std::size_t pair, const AlignOptions& options,
                  const JumpTables& jumps, Worker& worker, Buffer<Link>& links) const;

  LexicalTable table_;
  std::span<const float> source_null_, target_null_;
  float unknown_source_null_, unknown_target_null_;
  AlignmentParameters parameters_;
};

}  // namespace isogloss::align
