#include "features/forms.hpp"

#include <stdexcept>

#include "features/names.hpp"

namespace isogloss::features {
namespace {

constexpr std::size_t kLetters = 4;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

// Bytes of the digit that begins here, 0 if none does: ASCII, Arabic-Indic, Persian, Devanagari, Bengali, fullwidth.
std::size_t digit_length(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  if (byte(0) >= '0' && byte(0) <= '9') return 1;
  if (rest.size() >= 2 && byte(0) == 0xd9 && byte(1) >= 0xa0 && byte(1) <= 0xa9) return 2;
  if (rest.size() >= 2 && byte(0) == 0xdb && byte(1) >= 0xb0 && byte(1) <= 0xb9) return 2;
  if (rest.size() < 3) return 0;
  if (byte(0) == 0xe0 && (byte(1) == 0xa5 || byte(1) == 0xa7) && byte(2) >= 0xa6 && byte(2) <= 0xaf) return 3;
  return byte(0) == 0xef && byte(1) == 0xbc && byte(2) >= 0x90 && byte(2) <= 0x99 ? 3 : 0;
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
    if (type.name == name) throw std::invalid_argument("the token type '" + std::string(name) + "' stands twice");
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
    out.push_back({form_hash(types_[type].name, text), static_cast<std::uint32_t>(type)});
  });
}

std::string TokenTypes::describe(std::string_view word, const Form& form) const {
  std::string found;
  for_each(word, [&](std::size_t type, std::string_view text) {
    if (type == form.type && form_hash(types_[type].name, text) == form.hash)
      found = describe_form(types_[type].name, text);
  });
  return found;
}

}  // namespace isogloss::features
