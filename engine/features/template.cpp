#include "features/template.hpp"

namespace isogloss::features {

void Template::in_rule(const RuleFacts&, EventSink&) const {}
void Template::unaligned(TokenId, std::span<const TokenId>, EventSink&) const {}
void Template::in_step(const StepFacts&, EventSink&) const {}
void Template::at_border(const Before&, const RuleFacts*, const RuleFacts&, EventSink&) const {}

}  // namespace isogloss::features
