#include "nbest/moses_writer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"
#include "base/offsets.hpp"
#include "text/quoted.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace isogloss::nbest {
namespace {

void append_span(std::string& out, unsigned first, unsigned last) {
  append_number(out, first);
  if (last == first) return;
  out += '-';
  append_number(out, last);
}

template <class T>
std::span<const T> row_of(std::span<const std::int64_t> offsets, std::span<const T> values, std::size_t row) {
  return values.subspan(static_cast<std::size_t>(offsets[row]),
                        static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
}

void check_name(std::string_view name, const char* what) {
  if (name.empty() || name.find("|||") != name.npos || std::any_of(name.begin(), name.end(), text::is_space) ||
      name.find('\0') != name.npos || !text::is_utf8(name))
    throw std::invalid_argument(std::string(what) + ": " + text::quoted(name) + " is not allowed in an n-best list");
}

void check_ids(std::span<const std::uint32_t> ids, const text::Vocabulary& names, const char* what) {
  const auto beyond = [&](std::uint32_t id) { return id >= names.size(); };
  if (std::any_of(ids.begin(), ids.end(), beyond))
    throw std::invalid_argument(std::string(what) + ": a number without a name");
  for (WordId id = 0; id < names.size(); ++id) check_name(names.word(id), what);
}

void append_features(std::string& out, const NbestView& list, std::size_t row) {
  const double* dense = list.dense.data() + row * list.dense_columns;
  for (const DenseGroup& group : list.dense_groups) {
    out += ' ';
    out += group.name;
    out += '=';
    for (std::size_t i = 0; i < group.size; ++i) {
      out += ' ';
      append_number(out, dense[group.first_column + i]);
    }
  }
  if (list.sparse_names == nullptr) return;
  const auto columns = row_of(list.sparse_offsets, list.sparse_columns, row);
  const auto values = row_of(list.sparse_offsets, list.sparse_values, row);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += ' ';
    out += list.sparse_names->word(columns[i]);
    out += '=';
    append_number(out, values[i]);
  }
}

void append_segmentation(std::string& out, const NbestView& list, std::size_t row) {
  out += " |||";
  for (const PhraseSpan& phrase : row_of(list.segmentation_offsets, list.segmentation, row)) {
    out += ' ';
    append_span(out, phrase.source_first, phrase.source_last);
    out += '=';
    append_span(out, phrase.target_first, phrase.target_last);
  }
}

void append_alignment(std::string& out, const NbestView& list, std::size_t row) {
  out += " |||";
  for (const AlignedWords& pair : row_of(list.alignment_offsets, list.alignment, row)) {
    out += ' ';
    append_number(out, unsigned{pair.source});
    out += '-';
    append_number(out, unsigned{pair.target});
  }
}

void append_candidate(std::string& out, const NbestView& list, MosesWriterOptions options, std::size_t row) {
  const bool segmented = !list.segmentation_offsets.empty(), aligned = !list.alignment_offsets.empty();
  out += " |||";
  for (WordId word : row_of(list.token_offsets, list.tokens, row)) {
    out += ' ';
    out += list.words->word(word);
  }
  if (aligned && options.alignment_before_features) append_alignment(out, list, row);
  out += " |||";
  append_features(out, list, row);
  const bool scored = !std::isnan(list.scores[row]);
  if (scored || segmented || aligned) out += " |||";  // fields are counted: an empty one holds the place
  if (scored) {
    out += ' ';
    append_number(out, list.scores[row]);
  }
  if (segmented) append_segmentation(out, list, row);
  if (aligned && !options.alignment_before_features) append_alignment(out, list, row);
  out += '\n';
}

}  // namespace

void NbestView::check() const {
  const std::size_t candidates = scores.size();
  check_offsets(sentence_offsets, sentence_ids.size(), candidates, "sentences");
  check_offsets(token_offsets, candidates, tokens.size(), "tokens");
  check_ids(tokens, *words, "tokens");
  if (dense.size() != candidates * dense_columns) throw std::invalid_argument("dense: wrong size");
  for (const DenseGroup& group : dense_groups) {
    check_name(group.name, "dense features");
    if (group.first_column > dense_columns || group.size > dense_columns - group.first_column)
      throw std::invalid_argument("dense: a group is outside the columns");
  }
  if (sparse_names != nullptr) {
    check_offsets(sparse_offsets, candidates, sparse_columns.size(), "sparse features");
    check_ids(sparse_columns, *sparse_names, "sparse features");
    if (sparse_values.size() != sparse_columns.size()) throw std::invalid_argument("sparse features: wrong size");
  }
  if (!alignment_offsets.empty()) check_offsets(alignment_offsets, candidates, alignment.size(), "alignment");
  if (!segmentation_offsets.empty())
    check_offsets(segmentation_offsets, candidates, segmentation.size(), "segmentation");
}

std::string write_moses(const NbestView& list, MosesWriterOptions options, std::size_t first_sentence,
                        std::size_t last_sentence) {
  std::string out;
  for (std::size_t sentence = first_sentence; sentence < last_sentence; ++sentence) {
    const auto begin = static_cast<std::size_t>(list.sentence_offsets[sentence]);
    const auto end = static_cast<std::size_t>(list.sentence_offsets[sentence + 1]);
    for (std::size_t row = begin; row < end; ++row) {
      append_number(out, list.sentence_ids[sentence]);
      append_candidate(out, list, options, row);
    }
  }
  return out;
}

}  // namespace isogloss::nbest
