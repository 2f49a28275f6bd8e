#include "features/lexicon.hpp"

#include <utility>

#include "features/names.hpp"

namespace isogloss::features {
namespace {

std::uint64_t key_of(std::string_view word, bool target) { return combine64(target ? 2 : 1, hash64(word)); }

}  // namespace

Lexicon::Lexicon(const Vocabulary& source, const Vocabulary& target, TokenTypes source_types, TokenTypes target_types)
    : source_(source), target_(target), source_types_(std::move(source_types)),
      target_types_(std::move(target_types)), begin_{0} {
  for (std::string_view boundary : kBoundaries) {
    forms_.push_back({form_hash(kSurface, boundary), kAlwaysSeen, check32(boundary)});
    begin_.push_back(static_cast<std::uint32_t>(forms_.size()));
    keys_.push_back(form_hash(kSurface, boundary));
  }
  forms_.push_back({kGapHash, kAlwaysSeen});
  begin_.push_back(static_cast<std::uint32_t>(forms_.size()));
  keys_.push_back(kGapHash);
  for (WordId word = 0; word < source.size(); ++word) add(source.word(word), false);
  for (WordId word = 0; word < target.size(); ++word) add(target.word(word), true);
}

void Lexicon::add(std::string_view word, bool target) {
  types(target).forms(word, forms_);
  begin_.push_back(static_cast<std::uint32_t>(forms_.size()));
  keys_.push_back(key_of(word, target));
}

std::string_view Lexicon::text(TokenId token) const {
  if (token < kGapToken) return kBoundaries[token];
  if (token == kGapToken) return "~";
  return is_target(token) ? target_.word(static_cast<WordId>(token - kFirstWord - source_.size()))
                          : source_.word(token - kFirstWord);
}

TokenId SentenceTokens::add(std::string_view word, bool target) {
  lexicon_.types(target).forms(word, forms_);
  begin_.push_back(static_cast<std::uint32_t>(forms_.size()));
  extra_.push_back({std::string(word), key_of(word, target), target});
  return static_cast<TokenId>(lexicon_.size() + extra_.size() - 1);
}

std::string SentenceTokens::describe(TokenId token, const Form& form) const {
  if (token == kGapToken) return "~";
  if (token < kGapToken) return std::string(lexicon_.text(token));
  return lexicon_.types(is_target(token)).describe(text(token), form);
}

}  // namespace isogloss::features
