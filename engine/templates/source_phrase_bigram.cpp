#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// The source sides of a rule and of the rule before it.
class SourcePhraseBigramTemplate final : public Template {
 public:
  std::string_view name() const override { return "source_phrase_bigram"; }
  unsigned needs() const override { return kLastRule; }

  void at_border(const Before&, const RuleFacts* last, const RuleFacts& rule, EventSink& sink) const override {
    sink.fire({last == nullptr ? Position(kBegin) : Position(last->source), here(rule)});
  }

 private:
  static Position here(const RuleFacts& rule) {
    return rule.source.front() == kEnd ? Position(kEnd) : Position(rule.source);
  }
};

}  // namespace

std::unique_ptr<Template> make_source_phrase_bigram_template() {
  return std::make_unique<SourcePhraseBigramTemplate>();
}

}  // namespace isogloss::features
