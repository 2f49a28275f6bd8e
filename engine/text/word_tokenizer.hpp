#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.hpp"

namespace isogloss::text {

/// Words and punctuation of any language that has spaces between words.
///
/// The rules are the same for all languages but for the apostrophe, and there is no list of abbreviations: a period is
/// a token. Some characters inside a word stay in it (`3.5`, `well-known`, `example.com`, `комп’ютер`).
class WordTokenizer final : public Tokenizer {
 public:
  /// Where a word with an apostrophe in it is split, so that the apostrophe stays with the part it belongs to.
  enum class Cut { kNever, kBefore, kAfter };

  explicit WordTokenizer(Cut cut) : cut_(cut) {}
  void tokenize(std::string_view line, std::string& out) const override;

 private:
  Cut cut_;
};

}  // namespace isogloss::text
