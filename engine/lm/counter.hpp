#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.hpp"
#include "lm/trie.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::lm {

/// Reads text and sorts the n-grams of the highest order, a block of text at a time.
///
///     feed … feed, end_file, feed … end_file      until tokens() is as many as memory allows
///     begin_sort, sort_some … until it is done
///     emit(builder) … or emit(records) …          until it is done
///     clear                                       and on with the next block
///
/// A token takes 8 bytes. The n-gram of a token is the token and what stands before it in its sentence; it
/// is not copied: sorting moves positions.
class Counter {
 public:
  /// Words get their numbers from `vocabulary`, which must outlive the counter. If `special_as_unknown`,
  /// <s>, </s> and <unk> in the text are the unknown word, else they are an error.
  Counter(text::Vocabulary& vocabulary, unsigned order, SpecialWords special, bool special_as_unknown);

  /// The next bytes of a file, cut anywhere. Every line is a sentence. Throws LineError for a special
  /// word, for a word that is not valid UTF-8 and past kMaxTokens words in all.
  void feed(std::string_view bytes);

  /// Ends the last line if the file did not, and counts lines from 1 again.
  void end_file();

  std::uint64_t sentences() const { return sentences_; }
  /// Words of all text so far, sentence ends not included.
  std::uint64_t words() const { return words_; }
  /// Tokens of the block: words and both ends of each sentence.
  std::size_t tokens() const { return tokens_.size(); }

  void begin_sort();
  /// Sorts about `budget` more tokens; true when all are sorted.
  bool sort_some(std::size_t budget, std::size_t threads);

  /// Passes about `budget` more n-grams on; true when all have been.
  bool emit(TrieBuilder& builder, std::size_t budget);
  /// The same into records of `order` words (last word first, 0 beyond <s>) and a count.
  bool emit(Buffer<std::uint32_t>& records, std::size_t budget);

  /// Forgets the block; an unfinished sentence stays.
  void clear();

 private:
  void add_word(std::string_view word);
  void end_sentence();
  void sort_group(std::size_t begin, std::size_t end);
  template <class Sink>
  bool emit_some(std::size_t budget, Sink&& sink);

  text::Vocabulary& vocabulary_;
  unsigned order_;
  SpecialWords special_;
  bool special_as_unknown_;

  std::string partial_word_;  // at the end of the bytes so far
  std::uint64_t line_ = 1;
  bool line_begun_ = false;
  std::uint64_t sentences_ = 0;
  std::uint64_t words_ = 0;

  Buffer<WordId> tokens_;     // each sentence with <s> and </s>
  std::size_t complete_ = 0;  // tokens of complete sentences
  bool sentence_open_ = false;
  Buffer<std::uint32_t> sorted_;  // positions; the top bit marks the same n-gram as the one before
  Buffer<std::uint32_t> groups_;  // where the positions of each last word begin
  std::size_t next_group_ = 0;
  std::size_t next_emitted_ = 0;
  unsigned word_bits_ = 0;
};

}  // namespace isogloss::lm
