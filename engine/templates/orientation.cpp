#include "templates/all.hpp"

#include <utility>

#include "templates/aligned.hpp"

namespace isogloss::features {
namespace {

/// How the rule lies to what was translated before, with the words at its edges.
class OrientationTemplate final : public Template {
 public:
  std::string_view name() const override { return "orientation"; }
  unsigned needs() const override { return kOrientation; }

  void in_step(const StepFacts& step, EventSink& sink) const override {
    static constexpr std::string_view kEdges[3][4] = {
        {"monotone/source_first", "monotone/source_last", "monotone/target_first", "monotone/target_last"},
        {"swap/source_first", "swap/source_last", "swap/target_first", "swap/target_last"},
        {"discontinuous/source_first", "discontinuous/source_last", "discontinuous/target_first",
         "discontinuous/target_last"}};
    const auto& edges = kEdges[static_cast<std::size_t>(step.orientation)];
    const auto& [source, target] = std::pair(words_at_edges(step.rule.source), step.rule.target);
    sink.fire({Position::of(edges[0]), source.first});
    sink.fire({Position::of(edges[1]), source.second});
    sink.fire({Position::of(edges[2]), target.front()});
    sink.fire({Position::of(edges[3]), target.back()});
  }
};

}  // namespace

std::unique_ptr<Template> make_orientation_template() { return std::make_unique<OrientationTemplate>(); }

}  // namespace isogloss::features
