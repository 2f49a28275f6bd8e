#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Each target word.
class TargetWordTemplate final : public Template {
 public:
  std::string_view name() const override { return "target_word"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (TokenId word : rule.target) sink.fire({word});
  }
};

}  // namespace

std::unique_ptr<Template> make_target_word_template() { return std::make_unique<TargetWordTemplate>(); }

}  // namespace isogloss::features
