#include "templates/all.hpp"

#include <string>

namespace isogloss::features {
namespace {

/// Where the words and gaps of the rule are, however many words there are.
class ShapeTemplate final : public Template {
 public:
  std::string_view name() const override { return "shape"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    std::string shape;
    for (TokenId symbol : rule.source) {
      if (symbol == kGapToken) {
        shape.push_back('~');
      } else if (shape.empty() || shape.back() != 'w') {
        shape.push_back('w');
      }
    }
    shape.append(rule.swapped ? ">w~2~1" : rule.gaps == 2 ? ">w~1~2" : rule.gaps == 1 ? ">w~" : ">w");
    sink.fire({Position::of(shape)});
  }
};

}  // namespace

std::unique_ptr<Template> make_shape_template() { return std::make_unique<ShapeTemplate>(); }

}  // namespace isogloss::features
