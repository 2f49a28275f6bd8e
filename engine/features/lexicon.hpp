#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/forms.hpp"

namespace isogloss::features {

/// A word on one side of a sentence pair, or a boundary of the sentence, or a gap.
using TokenId = std::uint32_t;
inline constexpr TokenId kBegin = 0, kEnd = 1, kGapToken = 2, kFirstWord = 3;

/// The forms of all words of both vocabularies, computed once. The vocabularies must outlive it.
class Lexicon {
 public:
  Lexicon(const Vocabulary& source, const Vocabulary& target, TokenTypes source_types, TokenTypes target_types);

  TokenId source(WordId word) const { return kFirstWord + word; }
  TokenId target(WordId word) const { return kFirstWord + static_cast<TokenId>(source_.size()) + word; }
  std::size_t size() const { return kFirstWord + source_.size() + target_.size(); }
  std::size_t target_words() const { return target_.size(); }
  /// Whether it has as many words as these.
  bool fits(const Vocabulary& source, const Vocabulary& target) const {
    return source.size() == source_.size() && target.size() == target_.size();
  }
  bool is_target(TokenId token) const { return token >= kFirstWord + source_.size(); }

  std::span<const Form> forms(TokenId token) const {
    return {forms_.data() + begin_[token], begin_[token + 1] - begin_[token]};
  }
  /// Equal for equal words of one side in whatever sentence.
  std::uint64_t key(TokenId token) const { return keys_[token]; }
  std::string_view text(TokenId token) const;
  const TokenTypes& types(bool target) const { return target ? target_types_ : source_types_; }

 private:
  friend class SentenceTokens;
  void add(std::string_view word, bool target);

  const Vocabulary& source_;
  const Vocabulary& target_;
  TokenTypes source_types_, target_types_;
  std::vector<Form> forms_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint64_t> keys_;
};

/// A lexicon with the words of one sentence that are in no vocabulary.
class SentenceTokens {
 public:
  explicit SentenceTokens(const Lexicon& lexicon) : lexicon_(lexicon), begin_{0} {}

  TokenId add(std::string_view word, bool target);

  const Lexicon& lexicon() const { return lexicon_; }
  bool is_target(TokenId token) const {
    return token < lexicon_.size() ? lexicon_.is_target(token) : extra_[token - lexicon_.size()].target;
  }
  std::span<const Form> forms(TokenId token) const {
    if (token < lexicon_.size()) return lexicon_.forms(token);
    const std::size_t i = token - lexicon_.size();
    return {forms_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  std::uint64_t key(TokenId token) const {
    return token < lexicon_.size() ? lexicon_.key(token) : extra_[token - lexicon_.size()].key;
  }
  std::string_view text(TokenId token) const {
    return token < lexicon_.size() ? lexicon_.text(token) : std::string_view(extra_[token - lexicon_.size()].text);
  }
  /// How a form of a token is printed in the name of a feature.
  std::string describe(TokenId token, const Form& form) const;

 private:
  struct Extra {
    std::string text;
    std::uint64_t key;
    bool target;
  };

  const Lexicon& lexicon_;
  std::vector<Extra> extra_;
  std::vector<Form> forms_;
  std::vector<std::uint32_t> begin_;
};

}  // namespace isogloss::features
