#include "templates/all.hpp"

namespace isogloss::features {
namespace {

/// A target word that is not aligned, with every word of the source sentence.
class InsertionTemplate final : public Template {
 public:
  std::string_view name() const override { return "insertion"; }
  unsigned needs() const override { return kUnaligned; }

  void unaligned(TokenId target, std::span<const TokenId> sentence, EventSink& sink) const override {
    for (TokenId word : sentence) sink.fire({target, word});
  }
};

}  // namespace

std::unique_ptr<Template> make_insertion_template() { return std::make_unique<InsertionTemplate>(); }

}  // namespace isogloss::features
