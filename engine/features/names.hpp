// The numbers and the printed names of sparse features. A feature is a template's name and one to four positions:
//
//   pair:viol+|tnthk           a prefix and a word
//   target_bigram:the|class=7  a word and a value of the column `class`
//   rule:(der_~)|(the)         two phrases; ~ is a gap of the source
//   distortion:#-2             something that is no word
//
// In words, the characters that mean something here stand behind a backslash; `<s>` and `</s>` are the ends of the
// sentence, `\<s>` is a word that is spelled so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.hpp"

namespace isogloss::features {

/// A feature's number begins with its template …
constexpr std::uint64_t begin_feature(std::string_view name) { return hash64(name); }

/// … and takes in the hash of what stands at each position. 0 means no feature.
constexpr std::uint64_t extend_feature(std::uint64_t feature, std::uint64_t position) {
  const std::uint64_t number = combine64(feature, position);
  return number == 0 ? 1 : number;
}

/// Hash of something that is no word, such as `swap`.
constexpr std::uint64_t literal_hash(std::string_view text) { return combine64(hash64("#"), hash64(text)); }

/// Hash of a sequence of forms.
constexpr std::uint64_t begin_phrase() { return hash64("()"); }
constexpr std::uint64_t extend_phrase(std::uint64_t phrase, std::uint64_t form) { return combine64(phrase, form); }

inline constexpr std::uint64_t kGapHash = hash64("~");

/// How a form, a literal or a part of a name is printed.
std::string describe_form(std::string_view type, std::string_view text);
std::string describe_literal(std::string_view text);

/// Whether a column can have this name: letters, digits, `_` and `-`, and not that of another type.
bool is_column_name(std::string_view name);

/// The number of the feature with this name; throws std::invalid_argument if it is not the name of any.
std::uint64_t parse_feature(std::string_view name);

}  // namespace isogloss::features
