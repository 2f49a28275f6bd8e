#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/tokenizer.hpp"

namespace isogloss::text {

/// What the rules of the Moses scripts know of characters and abbreviations. It differs from what Unicode says today,
/// so it is given from outside.
struct MosesRules {
  std::string_view alphanumeric, alphabetic, numeric, lowercase;  // the characters themselves, in UTF-8
  std::vector<std::string_view> prefixes;          // before a period that is no token
  std::vector<std::string_view> numeric_prefixes;  // only before numbers
  enum class Apostrophe { kEnglish, kFrench, kOther } apostrophe = Apostrophe::kOther;
  bool hyphens = false;  // whether words are split at hyphens, which become `@-@`
};

/// The tokenizer of the Moses scripts, without escapes such as `&apos;`.
class MosesTokenizer final : public Tokenizer {
 public:
  explicit MosesTokenizer(const MosesRules& rules);
  void tokenize(std::string_view line, std::string& out) const override;

 private:
  struct Scratch;
  using Text = std::vector<char32_t>;

  bool is(char32_t c, std::uint8_t kind) const { return c < kinds_.size() && (kinds_[c] & kind) != 0; }
  void clean(std::string_view line, Text& text) const;
  void pad(Scratch& scratch) const;
  void split_hyphens(Scratch& scratch) const;
  void split_commas(Scratch& scratch) const;
  void split_apostrophes(Scratch& scratch) const;
  void split_apostrophe(Scratch& scratch, std::uint8_t left, bool without_left, std::uint8_t right, bool without_right,
                        std::u32string_view between) const;
  bool keeps_period(std::u32string_view word, std::u32string_view next) const;

  std::vector<std::uint8_t> kinds_;
  std::unordered_set<std::u32string> prefixes_, numeric_prefixes_;
  MosesRules::Apostrophe apostrophe_;
  bool hyphens_;
};

}  // namespace isogloss::text
