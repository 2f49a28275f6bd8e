#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nbest/builder.hpp"

namespace isogloss::nbest {

/// Reads n-best lists in the notation of Moses and its relatives, fed in pieces of any size:
///
///   sentence ||| words ||| features ||| score ||| segmentation ||| alignment
///
/// Features are groups `Name= v v` (or the older `Name: v v`) and single `name=v`. All fields behind the
/// words may be missing, and the score may be empty: what is not there is not invented. The two last fields may stand in either order or be missing: a segmentation has `0-1=0-2`, an alignment
/// `0-0 1-2`.
class MosesReader {
 public:
  struct Options {
    /// `name=v` is a dense feature too, as Marian, cdec and Joshua write it.
    bool named_values_are_dense = false;
    /// Fields between the words and the features, as Marian writes them (alignment, word scores). Those that
    /// are an alignment are kept.
    bool fields_before_features = false;
  };

  explicit MosesReader(Options options) : options_(options) {}

  /// Takes the next bytes of the file. Throws LineError.
  void feed(std::string_view bytes);

  /// Takes the last line, if the file did not end with a line end, and gives the list.
  NbestColumns finish();

  std::uint64_t lines() const { return line_; }

 private:
  void read_line(std::string_view line);
  void parse(std::string_view line);
  void parse_features(std::string_view field);
  void parse_word_scores(std::string_view field);
  void parse_links(std::string_view field);

  Options options_;
  NbestBuilder builder_;
  std::string rest_;  // the begun line at the end of the last piece
  std::uint64_t line_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<double> values_;
};

}  // namespace isogloss::nbest
