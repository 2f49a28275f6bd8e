#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nbest/columns.hpp"
#include "nbest/recent_words.hpp"

namespace isogloss::nbest {

/// Fills the columns of an n-best list, candidate by candidate:
///
///   builder.begin(sentence);
///   builder.add_token("a"); builder.add_dense("LM0", {-3.5}); builder.set_score(-3.5); ...
///   builder.end();
///   NbestColumns columns = builder.finish();
///
/// Every call checks its input and throws std::invalid_argument with a message for the user; after that
/// `begin` and `finish` throw std::logic_error. Sentences may come in any order, also in pieces.
class NbestBuilder {
 public:
  /// More dense columns than this are sparse features in the wrong notation.
  static constexpr std::size_t kMaxDenseColumns = 2000;

  void begin(std::int64_t sentence);
  void add_token(std::string_view word);  ///< without whitespace, not empty
  void add_dense(std::string_view group, std::span<const double> values);
  void add_sparse(std::string_view name, double value);  ///< a repeated name adds up
  void add_aligned_pair(std::uint64_t source, std::uint64_t target);
  void add_phrase(std::uint64_t source_first, std::uint64_t source_last, std::uint64_t target_first,
                  std::uint64_t target_last);
  void set_score(double score);
  void end();

  /// Groups the candidates by sentence, in order of sentence ids and, within a sentence, of arrival. The
  /// same list in another notation gives the same columns. The builder is empty afterward.
  NbestColumns finish();

 private:
  std::size_t group_index(std::string_view name, std::size_t size);
  void widen(std::size_t columns);
  void set_stride(std::size_t stride);
  void sort_by_sentence();

  NbestColumns columns_;
  bool begun_ = false;                    // between `begin` and `end`
  std::size_t stride_ = 0;                // cells from one row of `dense` to the next, at least its columns
  RecentWords recent_words_;
  Buffer<std::int64_t> sentence_of_;      // per candidate
  std::size_t expected_group_ = 0;        // lists repeat their groups in the same order on every line
  std::vector<std::uint64_t> group_seen_; // candidate that last gave the group, counted from 1
  std::vector<std::uint64_t> sparse_seen_, sparse_place_;
};

}  // namespace isogloss::nbest
