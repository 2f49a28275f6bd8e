#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The rule itself: its source side and its target side.
class RuleTemplate final : public Template {
 public:
  std::string_view name() const override { return "rule"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    if (rule.swapped) {
      sink.fire({rule.source, rule.target, Position::of("swapped")});
    } else {
      sink.fire({rule.source, rule.target});
    }
  }
};

}  // namespace

std::unique_ptr<Template> make_rule_template() { return std::make_unique<RuleTemplate>(); }

}  // namespace isogloss::features
