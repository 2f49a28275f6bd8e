// From the events of templates to the numbers, names and weights of features.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/template.hpp"

namespace isogloss::features {

/// A template in use: which token types it sees, as bits by the position of the type in its language.
struct ActiveTemplate {
  std::unique_ptr<Template> events;
  std::uint32_t source_types = 0xffffffffu, target_types = 0xffffffffu;
  std::uint64_t tag = 0;  ///< begin_feature of its name
};

/// A phrase with more ways to read it in a token type than this is not seen in that type.
inline constexpr std::size_t kMostReadings = 256;

/// The features of events: all combinations of the forms at their positions. One per thread.
class Expansion {
 public:
  explicit Expansion(const SentenceTokens& tokens) : tokens_(tokens) {}

  /// Equal for equal events of one template, in whatever sentence.
  std::uint64_t key(const ActiveTemplate& active, std::span<const Position> positions) const;

  /// The same, different too where words differ that by chance have the same hash.
  std::uint64_t exact_key(const ActiveTemplate& active, std::span<const Position> positions) const;

  /// The numbers of an event's features; valid until the next call.
  std::span<const std::uint64_t> features(const ActiveTemplate& active, std::span<const Position> positions);

  /// For each feature of the event that `features` was last called with a number that two different features share
  /// only by a chance that is independent of their own numbers; valid until the next call.
  std::span<const std::uint32_t> checks(const ActiveTemplate& active, std::span<const Position> positions);

  /// The name of feature `number` of the event that `features` was last called with.
  std::string name(const ActiveTemplate& active, std::span<const Position> positions, std::size_t number);

 private:
  void list_forms(const ActiveTemplate& active, const Position& position, std::vector<Form>& out) const;
  void list_phrase_forms(const ActiveTemplate& active, std::span<const TokenId> phrase, std::vector<Form>& out) const;
  template <class Visit>
  void for_each_reading(std::span<const TokenId> phrase, std::uint32_t type, Visit&& visit) const;
  void forms_in_phrase(TokenId token, std::uint32_t type, std::vector<Form>& out) const;
  std::string describe(const Position& position, const Form& form) const;

  const SentenceTokens& tokens_;
  std::array<std::vector<Form>, 4> forms_;
  std::array<std::vector<std::string>, 4> described_;  // the forms, once a name was asked for
  std::vector<std::uint64_t> features_, shorter_;
  std::vector<std::uint32_t> checks_, shorter_checks_;
  mutable std::vector<Form> values_, chosen_;  // scratch of for_each_reading
  mutable std::vector<std::size_t> begin_, at_;
};

}  // namespace isogloss::features
