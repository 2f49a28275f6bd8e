#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The target sides of a rule and of the rule before it.
class TargetPhraseBigramTemplate final : public Template {
 public:
  std::string_view name() const override { return "target_phrase_bigram"; }
  unsigned needs() const override { return kLastRule; }

  void at_border(const Before&, const RuleFacts* last, const RuleFacts& rule, EventSink& sink) const override {
    sink.fire({last == nullptr ? Position(kBegin) : Position(last->target), here(rule)});
  }

 private:
  static Position here(const RuleFacts& rule) {
    return rule.target.front() == kEnd ? Position(kEnd) : Position(rule.target);
  }
};

}  // namespace

std::unique_ptr<Template> make_target_phrase_bigram_template() {
  return std::make_unique<TargetPhraseBigramTemplate>();
}

}  // namespace isogloss::features
