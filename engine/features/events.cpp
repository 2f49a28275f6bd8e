#include "features/events.hpp"

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

std::span<const std::uint64_t> Expansion::features(const ActiveTemplate& active, std::span<const Position> positions) {
  features_.assign(1, active.tag);
  for (std::size_t i = 0; i < positions.size() && i < forms_.size(); ++i) {
    list_forms(active, positions[i], forms_[i]);
    shorter_.swap(features_);
    features_.clear();
    for (std::uint64_t feature : shorter_)
      for (const Form& form : forms_[i]) features_.push_back(extend_feature(feature, form.hash));
  }
  return features_;
}

std::string Expansion::name(const ActiveTemplate& active, std::span<const Position> positions,
                            std::size_t number) const {
  std::string name;
  for (std::size_t i = positions.size(); i-- > 0;) {  // the last position varies fastest
    const Form& form = forms_[i][number % forms_[i].size()];
    number /= forms_[i].size();
    name.insert(0, (i > 0 ? "|" : ":") + describe(positions[i], form));
  }
  return name.insert(0, active.events->name());
}

void Expansion::list_forms(const ActiveTemplate& active, const Position& position, std::vector<Form>& out) const {
  out.clear();
  if (position.kind == Position::Kind::kLiteral) {
    out.push_back({position.hash, kAlwaysSeen});
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
  for (std::uint32_t type = 0; type < kAlwaysSeen; ++type) {
    if (!(present >> type & 1u)) continue;
    std::uint64_t hash = begin_phrase();
    for (TokenId token : phrase) hash = extend_phrase(hash, form_in_phrase(token, type).hash);
    out.push_back({hash, type});
  }
}

Form Expansion::form_in_phrase(TokenId token, std::uint32_t type) const {
  if (token == kGapToken) return {kGapHash, kAlwaysSeen};
  for (const Form& form : tokens_.forms(token))
    if (form.type == type) return form;
  return {form_hash(kSurface, tokens_.text(token)), kAlwaysSeen};
}

std::string Expansion::describe(const Position& position, const Form& form) const {
  if (position.kind == Position::Kind::kLiteral) return describe_literal(position.literal);
  if (position.kind == Position::Kind::kToken) return tokens_.describe(position.token, form);
  std::string out = "(";
  for (TokenId token : position.phrase) {
    if (out.size() > 1) out.push_back('_');
    const Form part = form_in_phrase(token, form.type);
    const bool itself = token != kGapToken && part.type == kAlwaysSeen;
    out += itself ? describe_form(kSurface, tokens_.text(token)) : tokens_.describe(token, part);
  }
  return out + ")";
}

}  // namespace isogloss::features
