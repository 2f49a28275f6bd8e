#include "nbest/builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/numbers.hpp"
#include "text/quoted.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace isogloss::nbest {
namespace {

using std::invalid_argument;

void check_finite(double value, std::string_view what) {
  if (std::isfinite(value)) return;
  std::string text;
  append_number(text, value);
  throw invalid_argument(std::string(what) + " is " + text + ", a finite number is expected");
}

/// Zero bytes are UTF-8, but no text file has them: a list with one could not be read back.
bool is_text(std::string_view bytes) { return text::is_utf8(bytes) && bytes.find('\0') == bytes.npos; }

void check_name(std::string_view name) {
  if (!name.empty() && name.find("|||") == name.npos && std::none_of(name.begin(), name.end(), text::is_space) &&
      is_text(name))
    return;
  throw invalid_argument(text::quoted(name) + " is not a valid feature name");
}

void check_word(std::string_view word) {
  if (word.find("|||") != word.npos)
    throw invalid_argument("the word " + text::quoted(word) + " contains the field separator '|||'");
  if (!is_text(word)) throw invalid_argument("the word " + text::quoted(word) + " is not valid UTF-8 text");
}

void check_narrow(float value, std::string_view name) {
  if (!std::isfinite(value)) throw invalid_argument("the value of " + text::quoted(name) + " is too large");
}

std::uint16_t position(std::uint64_t value) {
  if (value > std::numeric_limits<std::uint16_t>::max())
    throw invalid_argument("alignment position " + std::to_string(value) + " is beyond 65535");
  return static_cast<std::uint16_t>(value);
}

/// The rows of `from` in the order given by `order`.
template <class T>
void permute(Buffer<T>& from, std::size_t width, const std::vector<std::size_t>& order) {
  Buffer<T> moved;
  for (std::size_t row : order) moved.append(from.data() + row * width, width);
  from = std::move(moved);
}

template <class T, class Values>
void permute_values(const Buffer<std::int64_t>& offsets, Values& from, const std::vector<std::size_t>& order) {
  Buffer<T> moved;
  for (std::size_t row : order)
    moved.append(from.data() + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
  from = std::move(moved);
}

Buffer<std::int64_t> permuted_offsets(const Buffer<std::int64_t>& offsets, const std::vector<std::size_t>& order) {
  Buffer<std::int64_t> moved;
  moved.push_back(0);
  for (std::size_t row : order) moved.push_back(moved.back() + offsets[row + 1] - offsets[row]);
  return moved;
}

template <class T>
void permute(Ragged<T>& from, const std::vector<std::size_t>& order) {
  permute_values<T>(from.offsets, from.values, order);
  from.offsets = permuted_offsets(from.offsets, order);
}

/// Numbers the words anew in the order in which `ids` now mention them.
void renumber(text::Vocabulary& words, Buffer<std::uint32_t>& ids) {
  text::Vocabulary ordered;
  std::vector<std::uint32_t> renamed(words.size(), kNoWord);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::uint32_t& name = renamed[ids[i]];
    if (name == kNoWord) name = ordered.add(words.word(ids[i]));
    ids[i] = name;
  }
  words = std::move(ordered);
}

}  // namespace

void NbestBuilder::begin(std::int64_t sentence) {
  if (begun_) throw std::logic_error("n-best builder: the last candidate was refused or not ended");
  if (sentence < 0) throw invalid_argument("sentence number " + std::to_string(sentence) + " is negative");
  sentence_of_.push_back(sentence);
  columns_.scores.push_back(std::numeric_limits<double>::quiet_NaN());
  columns_.dense.resize(columns_.dense.size() + stride_, 0.0);
  expected_group_ = 0;
  begun_ = true;
}

void NbestBuilder::add_token(std::string_view word) {
  const std::size_t known = columns_.words.size();
  const WordId id = recent_words_.add(word, columns_.words);
  if (id == known) check_word(word);
  columns_.tokens.values.push_back(id);
}

std::size_t NbestBuilder::group_index(std::string_view name, std::size_t size) {
  auto& groups = columns_.dense_groups;
  std::size_t index = expected_group_;
  if (index >= groups.size() || groups[index].name != name) {
    index = 0;
    while (index < groups.size() && groups[index].name != name) ++index;
  }
  if (index == groups.size()) {
    check_name(name);
    if (columns_.dense_columns + size > kMaxDenseColumns)
      throw invalid_argument("more than " + std::to_string(kMaxDenseColumns) +
                             " dense columns; write this many features as sparse ones");
    groups.push_back({std::string(name), columns_.dense_columns, size, 0});
    group_seen_.push_back(0);
    widen(columns_.dense_columns + size);
  }
  if (groups[index].size != size)
    throw invalid_argument("feature " + text::quoted(name) + " has " + std::to_string(size) + " values here and " +
                           std::to_string(groups[index].size) + " before");
  expected_group_ = index + 1;
  return index;
}

void NbestBuilder::add_dense(std::string_view name, std::span<const double> values) {
  // A name with no value behind it announces sparse features only.
  if (values.empty()) {
    if (!name.empty()) check_name(name);
    return;
  }
  const std::size_t index = group_index(name, values.size());
  if (group_seen_[index] == columns_.candidates())
    throw invalid_argument("feature " + text::quoted(name) + " occurs twice");
  group_seen_[index] = columns_.candidates();
  DenseGroup& group = columns_.dense_groups[index];
  ++group.candidates;
  double* row = columns_.dense.data() + columns_.dense.size() - stride_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) check_finite(values[i], "the value of " + text::quoted(name));
    row[group.first_column + i] = values[i];
  }
}

void NbestBuilder::widen(std::size_t columns) {
  columns_.dense_columns = columns;
  if (columns <= stride_) return;
  // Most lists name all features on their first line. Where every line has new ones, moving all rows for each
  // would take quadratic time.
  set_stride(columns_.candidates() == 1 ? columns : columns + columns / 2);
}

void NbestBuilder::set_stride(std::size_t stride) {
  const std::size_t old = stride_, rows = columns_.candidates();
  Buffer<double>& dense = columns_.dense;
  if (stride > old) {
    dense.resize(rows * stride);
    for (std::size_t row = rows; row-- > 0;) {  // from the end, so that no row is overwritten before it moved
      for (std::size_t i = stride; i-- > 0;) dense[row * stride + i] = i < old ? dense[row * old + i] : 0.0;
    }
  } else if (stride < old) {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < stride; ++i) dense[row * stride + i] = dense[row * old + i];
    dense.resize(rows * stride);
  }
  stride_ = stride;
}

void NbestBuilder::add_sparse(std::string_view name, double value) {
  if (!std::isfinite(value)) check_finite(value, "the value of " + text::quoted(name));
  const float narrow = static_cast<float>(value);
  const std::uint32_t column = columns_.sparse_names.add(name);
  if (column >= sparse_seen_.size()) {
    check_name(name);
    sparse_seen_.resize(column + 1, 0);
    sparse_place_.resize(column + 1, 0);
  }
  if (sparse_seen_[column] == columns_.candidates()) {
    check_narrow(columns_.sparse_values[sparse_place_[column]] += narrow, name);
    return;
  }
  check_narrow(narrow, name);
  sparse_seen_[column] = columns_.candidates();
  sparse_place_[column] = columns_.sparse_values.size();
  columns_.sparse_columns.values.push_back(column);
  columns_.sparse_values.push_back(narrow);
}

void NbestBuilder::add_aligned_pair(std::uint64_t source, std::uint64_t target) {
  columns_.alignment.values.push_back({position(source), position(target)});
}

void NbestBuilder::add_phrase(std::uint64_t source_first, std::uint64_t source_last, std::uint64_t target_first,
                              std::uint64_t target_last) {
  if (source_last < source_first || target_last < target_first)
    throw invalid_argument("a phrase of the segmentation ends before it begins");
  columns_.segmentation.values.push_back(
      {position(source_first), position(source_last), position(target_first), position(target_last)});
}

void NbestBuilder::set_score(double score) {
  check_finite(score, "the score");
  columns_.scores.back() = score;
}

void NbestBuilder::end() {
  columns_.tokens.end_row();
  columns_.sparse_columns.end_row();
  columns_.alignment.end_row();
  columns_.segmentation.end_row();
  begun_ = false;
}

void NbestBuilder::sort_by_sentence() {
  columns_.reordered = true;
  std::vector<std::size_t> order(columns_.candidates());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sentence_of_[a] < sentence_of_[b]; });
  permute(sentence_of_, 1, order);
  permute(columns_.scores, 1, order);
  permute(columns_.dense, columns_.dense_columns, order);
  permute(columns_.tokens, order);
  permute_values<float>(columns_.sparse_columns.offsets, columns_.sparse_values, order);
  permute(columns_.sparse_columns, order);
  permute(columns_.alignment, order);
  permute(columns_.segmentation, order);
  renumber(columns_.words, columns_.tokens.values);
  renumber(columns_.sparse_names, columns_.sparse_columns.values);
}

NbestColumns NbestBuilder::finish() {
  if (begun_) throw std::logic_error("n-best builder: the last candidate was refused or not ended");
  set_stride(columns_.dense_columns);
  if (!std::is_sorted(sentence_of_.begin(), sentence_of_.end())) sort_by_sentence();
  for (std::size_t i = 0; i < sentence_of_.size(); ++i) {
    if (i == 0 || sentence_of_[i] != sentence_of_[i - 1]) {
      columns_.sentence_ids.push_back(sentence_of_[i]);
      columns_.sentence_offsets.push_back(static_cast<std::int64_t>(i));
    }
  }
  columns_.sentence_offsets.push_back(static_cast<std::int64_t>(sentence_of_.size()));
  NbestColumns finished = std::move(columns_);
  *this = NbestBuilder();
  return finished;
}

}  // namespace isogloss::nbest
