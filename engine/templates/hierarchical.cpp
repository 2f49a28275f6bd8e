#include "templates/all.hpp"
#include "templates/aligned.hpp"

namespace isogloss::features {
namespace {

/// An aligned source word of a rule with each aligned source word of the rule that left its span open.
class HierarchicalTemplate final : public Template {
 public:
  std::string_view name() const override { return "hierarchical"; }
  unsigned needs() const override { return kParent; }

  void in_step(const StepFacts& step, EventSink& sink) const override {
    if (step.parent.empty()) return;
    for_each_aligned(step.rule, [&](TokenId child) {
      for (TokenId parent : step.parent) sink.fire({parent, child});
    });
  }
};

}  // namespace

std::unique_ptr<Template> make_hierarchical_template() { return std::make_unique<HierarchicalTemplate>(); }

}  // namespace isogloss::features
