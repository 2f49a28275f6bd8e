// Both tokenizers and lower case on any bytes: tokens have no white space, and the default loses no character.
#include <string>

#include "fuzzing.hpp"
#include "text/moses_tokenizer.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"
#include "text/word_tokenizer.hpp"

namespace {

using namespace isogloss::text;

MosesRules rules(std::uint8_t choice) {
  MosesRules found;
  found.alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789éäß";
  found.alphabetic = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéäß";
  found.numeric = "0123456789";
  found.lowercase = "abcdefghijklmnopqrstuvwxyzéäß";
  found.prefixes = {"Mr", "bzw", "No"};
  found.numeric_prefixes = {"No"};
  found.apostrophe = static_cast<MosesRules::Apostrophe>(choice % 3);
  found.hyphens = (choice & 4) != 0;
  return found;
}

const MosesTokenizer& moses(std::uint8_t choice) {
  static const MosesTokenizer all[] = {MosesTokenizer(rules(0)), MosesTokenizer(rules(1)), MosesTokenizer(rules(2)),
                                       MosesTokenizer(rules(6))};
  return all[choice % 4];
}

bool well_spaced(std::string_view line) {
  return line.empty() || (line.front() != ' ' && line.back() != ' ' && line.find("  ") == line.npos);
}

std::string without_space(std::string_view text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code(text, at);
    if ((properties(code) & kSpace) == 0) append_code(kept, code);
  }
  return kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  const std::uint8_t choice = take_choice(text);
  std::string tokens, again;
  const WordTokenizer words(static_cast<WordTokenizer::Cut>(choice % 3));
  words.tokenize(text, tokens);
  must(well_spaced(tokens));
  if (is_utf8(text)) must(without_space(tokens) == without_space(text));
  words.tokenize(text, again);
  must(again == tokens);
  again.clear();
  moses(choice).tokenize(text, again);
  must(well_spaced(again));
  lower(text, (choice & 8) != 0, again);
  return 0;
}
