#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::nbest {

/// Rows of different lengths: row i is values[offsets[i]] up to values[offsets[i + 1]].
template <class T>
struct Ragged {
  Buffer<std::int64_t> offsets;
  Buffer<T> values;

  Ragged() { offsets.push_back(0); }
  void end_row() { offsets.push_back(static_cast<std::int64_t>(values.size())); }
};

/// One aligned word pair of a candidate, positions from 0.
struct AlignedWords {
  std::uint16_t source, target;
};

/// One phrase of a candidate: first and last source word, first and last target word.
struct PhraseSpan {
  std::uint16_t source_first, source_last, target_first, target_last;
};

/// Dense features that belong together, `TranslationModel0= -1.2 -0.3`, in neighboring columns.
struct DenseGroup {
  std::string name;
  std::size_t first_column, size;
  std::uint64_t candidates;  ///< how many candidates gave it; the others count as 0
};

/// An n-best list as columns; the candidates of a sentence lie together.
struct NbestColumns {
  Buffer<std::int64_t> sentence_ids;      ///< one per sentence, rising
  Buffer<std::int64_t> sentence_offsets;  ///< candidates of sentence i: [offsets[i], offsets[i + 1])
  Buffer<double> scores;                  ///< one per candidate; NaN where the list gives none
  std::vector<DenseGroup> dense_groups;
  Buffer<double> dense;                   ///< candidates × columns, row by row
  std::size_t dense_columns = 0;
  text::Vocabulary words;
  Ragged<WordId> tokens;
  text::Vocabulary sparse_names;
  Ragged<std::uint32_t> sparse_columns;
  Buffer<float> sparse_values;            ///< parallel to sparse_columns.values
  Ragged<AlignedWords> alignment;
  Ragged<PhraseSpan> segmentation;
  bool reordered = false;  ///< the candidates did not come grouped by rising sentence: rows are not lines

  std::size_t candidates() const { return scores.size(); }
};

}  // namespace isogloss::nbest
