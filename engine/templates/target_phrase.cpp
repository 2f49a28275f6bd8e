#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The target words of the rule.
class TargetPhraseTemplate final : public Template {
 public:
  std::string_view name() const override { return "target_phrase"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override { sink.fire({rule.target}); }
};

}  // namespace

std::unique_ptr<Template> make_target_phrase_template() { return std::make_unique<TargetPhraseTemplate>(); }

}  // namespace isogloss::features
