#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// Neighboring aligned pairs in the order of the target words, also across rules; words that are not aligned
/// are skipped.
class PairBigramTemplate final : public Template {
 public:
  std::string_view name() const override { return "pair_bigram"; }
  unsigned needs() const override { return kLastPair; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override {
    for (std::size_t i = 1; i < rule.links.size(); ++i)
      sink.fire({rule.pair_target(i - 1), rule.pair_source(i - 1), rule.pair_target(i), rule.pair_source(i)});
  }

  void at_border(const Before& before, const RuleFacts*, const RuleFacts& rule, EventSink& sink) const override {
    if (rule.has_pairs())
      sink.fire({before.pair_target, before.pair_source, rule.pair_target(0), rule.pair_source(0)});
  }
};

}  // namespace

std::unique_ptr<Template> make_pair_bigram_template() { return std::make_unique<PairBigramTemplate>(); }

}  // namespace isogloss::features
