#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nbest/columns.hpp"

namespace isogloss::nbest {

/// What the writer prints: views of a list's columns, all with one row per candidate of the whole list.
struct NbestView {
  std::span<const std::int64_t> sentence_ids, sentence_offsets;
  std::span<const double> scores;
  std::vector<DenseGroup> dense_groups;
  std::span<const double> dense;
  std::size_t dense_columns = 0;
  const text::Vocabulary* words = nullptr;
  std::span<const std::int64_t> token_offsets;
  std::span<const WordId> tokens;
  const text::Vocabulary* sparse_names = nullptr;  ///< null: the list has no sparse features
  std::span<const std::int64_t> sparse_offsets;
  std::span<const std::uint32_t> sparse_columns;
  std::span<const float> sparse_values;
  std::span<const std::int64_t> alignment_offsets;  ///< empty: no alignments
  std::span<const AlignedWords> alignment;
  std::span<const std::int64_t> segmentation_offsets;
  std::span<const PhraseSpan> segmentation;

  /// Throws std::invalid_argument unless all offsets rise, end inside their columns, all numbers of words and
  /// features exist and all names can stand in a line. Costs one pass over the columns.
  void check() const;
};

struct MosesWriterOptions {
  /// The alignment stands between words and features, as Marian writes it, not at the end.
  bool alignment_before_features = false;
};

/// The lines of the candidates of sentences [first, last), in the notation MosesReader reads.
std::string write_moses(const NbestView& list, MosesWriterOptions options, std::size_t first_sentence,
                        std::size_t last_sentence);

}  // namespace isogloss::nbest
