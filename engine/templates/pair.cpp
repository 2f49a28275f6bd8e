#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Each aligned word pair.
class PairTemplate final : public Template {
 public:
  std::string_view name() const override { return "pair"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (std::size_t i = 0; i < rule.links.size(); ++i) sink.fire({rule.pair_target(i), rule.pair_source(i)});
  }
};

}  // namespace

std::unique_ptr<Template> make_pair_template() { return std::make_unique<PairTemplate>(); }

}  // namespace isogloss::features
