#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Each target word of a rule with each source word of it, aligned or not.
class BlockPairTemplate final : public Template {
 public:
  std::string_view name() const override { return "block_pair"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (TokenId target : rule.target)
      for (TokenId source : rule.source)
        if (source != kGapToken) sink.fire({target, source});
  }
};

}  // namespace

std::unique_ptr<Template> make_block_pair_template() { return std::make_unique<BlockPairTemplate>(); }

}  // namespace isogloss::features
