#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Neighboring target words, also across rules.
class TargetBigramTemplate final : public Template {
 public:
  std::string_view name() const override { return "target_bigram"; }
  unsigned needs() const override { return kLastWord; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (std::size_t i = 1; i < rule.target.size(); ++i) sink.fire({rule.target[i - 1], rule.target[i]});
  }

  void at_border(const Before& before, const RuleFacts*, const RuleFacts& rule, EventSink& sink) const override {
    sink.fire({before.words[0], rule.target[0]});
  }
};

}  // namespace

std::unique_ptr<Template> make_target_bigram_template() { return std::make_unique<TargetBigramTemplate>(); }

}  // namespace isogloss::features
