#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// A source word of a rule that is not aligned, with each target word of the rule.
class DeletionTemplate final : public Template {
 public:
  std::string_view name() const override { return "deletion"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (std::size_t i = 0; i < rule.source.size(); ++i) {
      if (rule.source[i] == kGapToken || is_aligned(rule, i)) continue;
      for (TokenId word : rule.target) sink.fire({word, rule.source[i]});
    }
  }

 private:
  static bool is_aligned(const RuleFacts& rule, std::size_t symbol) {
    for (const Link& link : rule.links)
      if (link.source == symbol) return true;
    return false;
  }
};

}  // namespace

std::unique_ptr<Template> make_deletion_template() { return std::make_unique<DeletionTemplate>(); }

}  // namespace isogloss::features
