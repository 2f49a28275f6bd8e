#include "features/forms.hpp"

#include <stdexcept>

#include "features/names.hpp"

namespace isogloss::features {
namespace {

constexpr std::size_t kLetters = 4;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

// The zeros of the scripts in use that have digits of their own: nine digits follow each.
constexpr char32_t kZeros[] = {
    U'0', 0x0660, 0x06f0, 0x07c0,                    // ASCII, Arabic, Persian, N'Ko
    0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6,  // Devanagari to Sinhala
    0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810,  // Thai, Lao, Tibetan, Burmese, Khmer, Mongolian
    0xff10};                                         // fullwidth

// Bytes of the digit that begins here, 0 if none does.
std::size_t digit_length(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xc0 && byte(0) < 0xe0 ? 2 : (byte(0) & 0xf0u) == 0xe0u ? 3 : 0;
  if (length == 0 || rest.size() < length) return 0;
  char32_t letter = length == 1 ? byte(0) : byte(0) & (length == 2 ? 0x1fu : 0x0fu);
  for (std::size_t i = 1; i < length; ++i) letter = letter << 6 | (byte(i) & 0x3fu);
  for (const char32_t zero : kZeros)
    if (letter >= zero && letter <= zero + 9) return length;
  return 0;
}

std::uint64_t hash_of(std::string_view type, std::string_view text) {
  return type == kSurface ? word_hash(text) : form_hash(type, text);
}

}  // namespace

std::string digit_shape(std::string_view word) {
  std::string shape;
  bool any = false;
  for (std::size_t i = 0; i < word.size();) {
    const std::size_t length = digit_length(word.substr(i));
    any |= length > 0;
    shape.push_back(length > 0 ? '@' : word[i]);
    i += length > 0 ? length : 1;
  }
  return any ? shape : std::string();
}

std::string_view first_letters(std::string_view word, std::size_t letters) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (!continues(word[i]) && seen++ == letters) return word.substr(0, i);
  return {};
}

std::string_view last_letters(std::string_view word, std::size_t letters) {
  std::size_t seen = 0;
  for (std::size_t i = word.size(); i-- > 0;)
    if (!continues(word[i]) && ++seen == letters) return i > 0 ? word.substr(i) : std::string_view();
  return {};
}

void TokenTypes::start(std::string_view name) {
  if (types_.size() >= kAlwaysSeen) throw std::invalid_argument("too many token types");
  for (const Type& type : types_)
    if (type.name == name) throw std::invalid_argument("the token type '" + std::string(name) + "' occurs twice");
  types_.push_back({});
  types_.back().name = name;
}

void TokenTypes::add(std::string_view name) {
  if (name != kSurface && name != kPrefix && name != kSuffix && name != kDigits)
    throw std::invalid_argument("no token type is called '" + std::string(name) + "'");
  start(name);
}

void TokenTypes::add_column(std::string_view name, const std::vector<std::string>& words,
                            const std::vector<std::vector<std::string>>& values) {
  if (!is_column_name(name)) throw std::invalid_argument("'" + std::string(name) + "' cannot be the name of a column");
  start(name);
  Type& type = types_.back();
  for (std::size_t i = 0; i < words.size() && i < values.size(); ++i) {
    const WordId number = type.words.add(words[i]);
    if (number >= type.known.size()) type.known.resize(number + std::size_t{1});
    for (const std::string& value : values[i]) type.known[number].push_back(type.values.add(value));
  }
}

template <class Visit>
void TokenTypes::for_each(std::string_view word, Visit&& visit) const {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const Type& type = types_[i];
    if (type.name == kSurface) {
      visit(i, word);
    } else if (type.name == kPrefix) {
      if (const auto text = first_letters(word, kLetters); !text.empty()) visit(i, text);
    } else if (type.name == kSuffix) {
      if (const auto text = last_letters(word, kLetters); !text.empty()) visit(i, text);
    } else if (type.name == kDigits) {
      if (const auto text = digit_shape(word); !text.empty()) visit(i, std::string_view(text));
    } else if (const WordId number = type.words.find(word); number != kNoWord) {
      for (std::uint32_t value : type.known[number]) visit(i, type.values.word(value));
    }
  }
}

void TokenTypes::forms(std::string_view word, std::vector<Form>& out) const {
  for_each(word, [&](std::size_t type, std::string_view text) {
    out.push_back({hash_of(types_[type].name, text), static_cast<std::uint32_t>(type),
                   form_check(types_[type].name, text)});
  });
}

std::string TokenTypes::describe(std::string_view word, const Form& form) const {
  std::string found;
  for_each(word, [&](std::size_t type, std::string_view text) {
    if (type == form.type && hash_of(types_[type].name, text) == form.hash)
      found = describe_form(types_[type].name, text);
  });
  return found;
}

}  // namespace isogloss::features
