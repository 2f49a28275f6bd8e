#include "features/events.hpp"

#include <algorithm>

namespace isogloss::features {

std::uint64_t Expansion::key(const ActiveTemplate& active, std::span<const Position> positions) const {
  std::uint64_t key = active.tag;
  for (const Position& position : positions) {
    std::uint64_t at = position.hash;
    if (position.kind == Position::Kind::kToken) {
      at = tokens_.key(position.token);
    } else if (position.kind == Position::Kind::kPhrase) {
      at = begin_phrase();
      for (TokenId token : position.phrase) at = extend_phrase(at, tokens_.key(token));
    }
    key = combine64(key, at);
  }
  return key;
}

std::uint64_t Expansion::exact_key(const ActiveTemplate& active, std::span<const Position> positions) const {
  std::uint64_t key = this->key(active, positions);
  const auto add = [&](TokenId token) {
    for (const Form& form : tokens_.forms(token).first(std::min<std::size_t>(1, tokens_.forms(token).size())))
      key = combine64(key, form.check);
  };
  for (const Position& position : positions) {
    if (position.kind == Position::Kind::kToken) add(position.token);
    if (position.kind != Position::Kind::kPhrase) continue;
    for (TokenId token : position.phrase)
      if (token != kGapToken) add(token);
  }
  return key;
}

std::span<const std::uint64_t> Expansion::features(const ActiveTemplate& active, std::span<const Position> positions) {
  features_.assign(1, active.tag);
  for (std::size_t i = 0; i < positions.size() && i < forms_.size(); ++i) {
    list_forms(active, positions[i], forms_[i]);
    described_[i].clear();
    shorter_.swap(features_);
    features_.clear();
    for (std::uint64_t feature : shorter_)
      for (const Form& form : forms_[i]) features_.push_back(extend_feature(feature, form.hash));
  }
  return features_;
}

std::span<const std::uint32_t> Expansion::checks(const ActiveTemplate& active, std::span<const Position> positions) {
  checks_.assign(1, check32(active.events->name()));
  for (std::size_t i = 0; i < positions.size() && i < forms_.size(); ++i) {
    shorter_checks_.swap(checks_);
    checks_.clear();
    for (std::uint32_t check : shorter_checks_)
      for (const Form& form : forms_[i]) checks_.push_back(combine32(check, form.check));
  }
  return checks_;
}

std::string Expansion::name(const ActiveTemplate& active, std::span<const Position> positions, std::size_t number) {
  std::size_t features = 1, length = 0;
  std::array<const std::string*, 4> parts;
  for (std::size_t i = positions.size(); i-- > 0;) {  // the last position varies fastest
    if (described_[i].empty())
      for (const Form& form : forms_[i]) described_[i].push_back(describe(positions[i], form));
    parts[i] = &described_[i][number / features % forms_[i].size()];
    features *= forms_[i].size();
    length += parts[i]->size() + 1;
  }
  std::string name(active.events->name());
  name.reserve(name.size() + length);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    name.push_back(i > 0 ? '|' : ':');
    name += *parts[i];
  }
  return name;
}

void Expansion::list_forms(const ActiveTemplate& active, const Position& position, std::vector<Form>& out) const {
  out.clear();
  if (position.kind == Position::Kind::kLiteral) {
    out.push_back({position.hash, kAlwaysSeen, check32(position.literal)});
  } else if (position.kind == Position::Kind::kPhrase) {
    list_phrase_forms(active, position.phrase, out);
  } else {
    const std::uint32_t seen =
        (tokens_.is_target(position.token) ? active.target_types : active.source_types) | 1u << kAlwaysSeen;
    for (const Form& form : tokens_.forms(position.token))
      if (seen >> form.type & 1u) out.push_back(form);
  }
}

// A phrase is seen in one type at a time, with the words themselves where they have no form of that type.
void Expansion::list_phrase_forms(const ActiveTemplate& active, std::span<const TokenId> phrase,
                                  std::vector<Form>& out) const {
  std::uint32_t present = 0;
  bool target = false;
  for (TokenId token : phrase) {
    if (token == kGapToken) continue;
    target = tokens_.is_target(token);
    for (const Form& form : tokens_.forms(token)) present |= 1u << form.type;
  }
  present &= target ? active.target_types : active.source_types;
  for (std::uint32_t type = 0; type < kAlwaysSeen; ++type)
    if (present >> type & 1u)
      for_each_reading(phrase, type, [&](const Form& reading, std::span<const Form>) { out.push_back(reading); });
}

/// Calls `visit(form of the phrase, forms of its symbols)` for all combinations of the values of its words; the last
/// word varies fastest.
template <class Visit>
void Expansion::for_each_reading(std::span<const TokenId> phrase, std::uint32_t type, Visit&& visit) const {
  values_.clear();
  begin_.assign(1, 0);
  at_.assign(phrase.size(), 0);
  chosen_.resize(phrase.size());
  std::size_t readings = 1;
  for (TokenId token : phrase) {
    forms_in_phrase(token, type, values_);
    readings *= values_.size() - begin_.back();
    if (readings > kMostReadings) return;
    begin_.push_back(values_.size());
  }
  for (std::size_t number = 0; number < readings; ++number) {
    Form reading{begin_phrase(), type, check32("()")};
    for (std::size_t i = 0; i < phrase.size(); ++i) {
      chosen_[i] = values_[begin_[i] + at_[i]];
      reading.hash = extend_phrase(reading.hash, chosen_[i].hash);
      reading.check = combine32(reading.check, chosen_[i].check);
    }
    visit(reading, std::span<const Form>(chosen_));
    for (std::size_t i = phrase.size(); i-- > 0 && ++at_[i] == begin_[i + 1] - begin_[i];) at_[i] = 0;
  }
}

void Expansion::forms_in_phrase(TokenId token, std::uint32_t type, std::vector<Form>& out) const {
  const std::size_t before = out.size();
  if (token == kGapToken) {
    out.push_back({kGapHash, kAlwaysSeen, check32("~")});
    return;
  }
  for (const Form& form : tokens_.forms(token))
    if (form.type == type) out.push_back(form);
  const std::string_view word = tokens_.text(token);
  if (out.size() == before) out.push_back({word_hash(word), kAlwaysSeen, form_check(kSurface, word)});
}

std::string Expansion::describe(const Position& position, const Form& form) const {
  if (position.kind == Position::Kind::kLiteral) return describe_literal(position.literal);
  if (position.kind == Position::Kind::kToken) return tokens_.describe(position.token, form);
  std::string out;
  for_each_reading(position.phrase, form.type, [&](const Form& reading, std::span<const Form> parts) {
    if (!out.empty() || reading.hash != form.hash) return;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TokenId token = position.phrase[i];
      const bool itself = token != kGapToken && parts[i].type == kAlwaysSeen;
      out.push_back(i > 0 ? '_' : '(');
      out += itself ? describe_form(kSurface, tokens_.text(token)) : tokens_.describe(token, parts[i]);
    }
    out.push_back(')');
  });
  return out;
}

}  // namespace isogloss::features
