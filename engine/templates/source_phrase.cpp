#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The source side of the rule.
class SourcePhraseTemplate final : public Template {
 public:
  std::string_view name() const override { return "source_phrase"; }

  void in_rule(const RuleFacts& rule, EventSink& sink) const override { sink.fire({rule.source}); }
};

}  // namespace

std::unique_ptr<Template> make_source_phrase_template() { return std::make_unique<SourcePhraseTemplate>(); }

}  // namespace isogloss::features
