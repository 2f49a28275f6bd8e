#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The rule and how it lies to the rule before it: to the right, to the left, or neither (Tillmann and Zhang 2006).
class BlockOrientationTemplate final : public Template {
 public:
  std::string_view name() const override { return "block_orientation"; }
  unsigned needs() const override { return kSide; }

  void in_step(const StepFacts& step, EventSink& sink) const override {
    static constexpr std::string_view kSides[3] = {"R", "L", "N"};
    sink.fire({Position::of(kSides[step.side]), step.rule.source, step.rule.target});
  }
};

}  // namespace

std::unique_ptr<Template> make_block_orientation_template() { return std::make_unique<BlockOrientationTemplate>(); }

}  // namespace isogloss::features
