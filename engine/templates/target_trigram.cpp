#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Three target words in a row, also across rules; what was before the first word is the beginning once more.
class TargetTrigramTemplate final : public Template {
 public:
  std::string_view name() const override { return "target_trigram"; }
  unsigned needs() const override { return kLastTwoWords; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    const auto words = rule.target;
    for (std::size_t i = 2; i < words.size(); ++i) sink.fire({words[i - 2], words[i - 1], words[i]});
  }

  void at_border(const Before& before, const RuleFacts*, const RuleFacts& rule, EventSink& sink) const override {
    sink.fire({before.words[1], before.words[0], rule.target[0]});
    if (rule.target.size() > 1) sink.fire({before.words[0], rule.target[0], rule.target[1]});
  }
};

}  // namespace

std::unique_ptr<Template> make_target_trigram_template() { return std::make_unique<TargetTrigramTemplate>(); }

}  // namespace isogloss::features
