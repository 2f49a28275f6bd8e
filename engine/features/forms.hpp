#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::features {

using text::Vocabulary;

/// One way to see a word: as itself, as its beginning or end, as its class …
struct Form {
  std::uint64_t hash;       ///< of the type's name and the form's text
  std::uint32_t type;       ///< position among the types of its language
  std::uint32_t check = 0;  ///< of the same as `hash`, but independent of it
};

/// Types of boundary tokens and gaps, which every template sees whatever types it was given.
inline constexpr std::uint32_t kAlwaysSeen = 31;

/// The hash of a form, from which feature numbers are mixed: part of the file formats.
constexpr std::uint64_t form_hash(std::string_view type, std::string_view text) {
  return combine64(hash64(type), hash64(text));
}

constexpr std::uint32_t form_check(std::string_view type, std::string_view text) {
  return combine32(check32(type), check32(text));
}

inline constexpr std::string_view kSurface = "surface", kPrefix = "prefix", kSuffix = "suffix", kDigits = "digits";

/// How the ends of a sentence are spelled in features. A word that is spelled so is something else.
inline constexpr std::string_view kBoundaries[] = {"<s>", "</s>"};
constexpr bool is_spelled_as_boundary(std::string_view word) { return word == kBoundaries[0] || word == kBoundaries[1]; }

/// The hash of a word as itself.
constexpr std::uint64_t word_hash(std::string_view word) {
  return form_hash(is_spelled_as_boundary(word) ? "\\" : kSurface, word);
}

/// The token types of one language, in the order in which they were added: at most 31.
///
///   surface   the word itself
///   prefix    its first four letters, if it is longer
///   suffix    its last four letters, if it is longer
///   digits    the word with @ for every digit, if it has one
///   others    columns: the values that a dictionary has for the word, any number of them
class TokenTypes {
 public:
  /// Adds one of the types that a word's spelling gives. Throws std::invalid_argument if there is none of that name.
  void add(std::string_view name);

  /// Adds a column; `values[i]` are those of `words[i]`.
  void add_column(std::string_view name, const std::vector<std::string>& words,
                  const std::vector<std::vector<std::string>>& values);

  std::size_t size() const { return types_.size(); }
  const std::string& name(std::size_t type) const { return types_[type].name; }

  /// Appends the forms of a word.
  void forms(std::string_view word, std::vector<Form>& out) const;

  /// How a form of a word is printed in the name of a feature; the inverse is `parse_feature`.
  std::string describe(std::string_view word, const Form& form) const;

 private:
  struct Type {
    std::string name;
    Vocabulary words, values;                       // of a column
    std::vector<std::vector<std::uint32_t>> known;  // values of each word
  };

  template <class Visit>
  void for_each(std::string_view word, Visit&& visit) const;
  void start(std::string_view name);

  std::vector<Type> types_;
};

/// The word with @ for every digit of any of the common scripts, empty if it has none.
std::string digit_shape(std::string_view word);

/// The first or last `letters` code points of a word, empty if it is not longer.
std::string_view first_letters(std::string_view word, std::size_t letters);
std::string_view last_letters(std::string_view word, std::size_t letters);

}  // namespace isogloss::features
