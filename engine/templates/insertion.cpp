#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// A target word that is not aligned, with every word of the source sentence.
class InsertionTemplate final : public Template {
 public:
  std::string_view name() const override { return "insertion"; }

  void in_sentence(const RuleFacts& rule, std::span<const TokenId> sentence, EventSink& sink) const override {
    std::size_t link = 0;
    for (std::size_t i = 0; i < rule.target.size(); ++i) {
      const bool aligned = link < rule.links.size() && rule.links[link].target == i;
      while (link < rule.links.size() && rule.links[link].target == i) ++link;
      if (aligned) continue;
      for (TokenId word : sentence) sink.fire({rule.target[i], word});
    }
  }
};

}  // namespace

std::unique_ptr<Template> make_insertion_template() { return std::make_unique<InsertionTemplate>(); }

}  // namespace isogloss::features
