#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"

namespace isogloss::text {

/// The forms of words (`the`, `The`) and how often each occurred, as flat arrays that can be stored and mapped.
///
/// Words are in lower case and sorted; each has its forms, the most frequent first. `slots` is an open-addressing hash
/// table of the words.
struct CaseArrays {
  Buffer<std::uint32_t> slots;  // number of a word plus 1, or 0; a power of two of them
  Buffer<char> word_bytes, form_bytes;
  Buffer<std::uint64_t> word_ends, form_ends;  // in the bytes
  Buffer<std::uint32_t> word_forms;            // where the forms of a word end
  Buffer<std::uint64_t> counts;                // of forms
};

/// Looks words up in such arrays. They may come from a hostile file: everything is checked where it is used, so that
/// wrong arrays give wrong case or std::invalid_argument, never more.
class CaseTable {
 public:
  struct Views {
    std::span<const std::uint32_t> slots;
    std::string_view word_bytes, form_bytes;
    std::span<const std::uint64_t> word_ends, form_ends;
    std::span<const std::uint32_t> word_forms;
    std::span<const std::uint64_t> counts;
  };

  /// `dotted`: whether I and İ are the capitals of ı and i. Throws if the sizes of the arrays do not agree.
  CaseTable(const Views& views, bool dotted);

  /// The usual form of a word inside sentences, if it occurred there.
  std::optional<std::string_view> usual_form(std::string_view word) const;

  /// The form that a token gets: the most frequent one. A token that is not known stays as it is. With `keep_known`,
  /// so does a form that occurred inside sentences.
  std::string_view cased(std::string_view token, bool keep_known) const;

  /// Every token of a line gets its most frequent form.
  void usual(std::string_view line, std::string& out) const;

  /// The first word of a sentence, and words in an unknown form, get their most frequent form.
  void truecase(std::string_view line, std::string& out) const;

  std::size_t words() const { return views_.word_ends.size(); }
  std::string_view word(std::size_t number) const;
  std::string_view form(std::size_t number) const;
  std::uint64_t count(std::size_t form) const { return views_.counts[form]; }
  std::size_t first_form(std::size_t word) const { return word == 0 ? 0 : forms_end(word - 1); }
  std::size_t forms_end(std::size_t word) const;

 private:
  std::size_t find(std::string_view token) const;  // number of its word, or words()

  Views views_;
  bool dotted_;
};

/// Counts the forms of words in tokenized text.
class CaseCounter {
 public:
  /// Counts the words of a line, which have spaces between them. The first word of a sentence counts only if it is in
  /// lower case; others are recorded with a count of 0, in case they occur nowhere else.
  void add_line(std::string_view line);

  void add(std::string_view form, std::uint64_t count);
  CaseArrays arrays(bool dotted) const;

 private:
  std::string_view form(std::size_t number) const;

  Buffer<char> bytes_;
  Buffer<std::uint64_t> ends_, counts_;
  Index index_;
};

}  // namespace isogloss::text
