#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "lm/compile.hpp"
#include "lm/model.hpp"
#include "lm/trie.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::lm {

/// Reads an ARPA file into the tables of a model.
///
/// Throws LineError for whatever is not as the format asks. What pruning tools leave is allowed: an n-gram
/// may stand there without the shorter ones that it begins or ends with. Queries walk from short n-grams to
/// long ones, so those missing links are put in, with exactly the probability that backing off gives them.
class ArpaReader {
 public:
  /// Words get their numbers from `vocabulary`, which must outlive the reader. Words it already has keep
  /// theirs; those the model does not hold are marked absent.
  explicit ArpaReader(text::Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// The next bytes of the file, cut anywhere.
  void feed(std::string_view bytes);
  /// After the last bytes.
  void finish();

  unsigned order() const { return static_cast<unsigned>(counts_.size()); }
  /// n-grams per order, as the file says.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  /// Missing links put in, all orders together.
  std::size_t links() const { return links_; }
  /// Whether the file has an <unk>; if not, its log10 probability is -100.
  bool has_unknown() const { return has_unknown_; }
  SpecialWords special() const { return special_; }

  Buffer<Weights>& unigrams() { return unigrams_; }
  /// For orders 2 to order() - 1.
  TableBuilder<MiddleBucket>& middle(unsigned order) { return *middle_[order - 2]; }
  TableBuilder<LongestBucket>& longest() { return *longest_; }

 private:
  enum class Place { kStart, kCounts, kBefore, kSection, kAfter, kEnd };

  struct Entry {
    std::uint64_t key;
    Weights weights;
  };

  /// An n-gram that should be there, and what for.
  struct Link {
    std::array<WordId, kMaxOrder> words;
    bool as_suffix;
  };

  void line(std::string_view text);
  void read_count(std::string_view text);
  void begin_section(std::string_view text);
  void read_ngram(std::string_view text);
  void add_unigram(std::string_view word, Weights weights);
  void add_ngram(const std::string_view* words, Weights weights);
  void end_section();
  void end_unigrams();
  template <class Bucket>
  void fill_table(TableBuilder<Bucket>& table);
  void mark_parts(const WordId* words, unsigned order, bool note_missing);
  void mark(const WordId* words, unsigned order, bool as_suffix, bool note_missing);
  void add_links();
  Weights* find(const WordId* words, unsigned order);
  bool present(WordId word) const;
  [[noreturn]] void fail(const std::string& problem, const std::string& hint = {}) const;

  text::Vocabulary& vocabulary_;
  std::string partial_line_;
  std::uint64_t line_ = 0;
  Place place_ = Place::kStart;
  std::vector<std::uint64_t> counts_;
  unsigned section_ = 0;  // the order being read
  std::uint64_t section_line_ = 0;
  SpecialWords special_{kNoWord, kNoWord, kNoWord};
  bool has_unknown_ = false;
  std::size_t links_ = 0;

  Buffer<Weights> unigrams_;
  std::uint64_t unigrams_read_ = 0;
  Buffer<Entry> entries_;
  std::array<std::optional<TableBuilder<MiddleBucket>>, kMaxOrder - 2> middle_;
  std::optional<TableBuilder<LongestBucket>> longest_;
  std::array<std::vector<Link>, kMaxOrder> missing_;  // by order
};

}  // namespace isogloss::lm
