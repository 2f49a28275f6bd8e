#include "templates/all.hpp"

#include "templates/aligned.hpp"

namespace isogloss::features {
namespace {

/// How far from the last rule the rule stands, in bins, alone and with its first source word.
class DistortionTemplate final : public Template {
 public:
  std::string_view name() const override { return "distortion"; }
  unsigned needs() const override { return kDistortion; }

  void in_step(const StepFacts& step, EventSink& sink) const override {
    const Position bin = Position::of(kBins[bin_of(step.distortion)]);
    sink.fire({bin});
    sink.fire({bin, words_at_edges(step.rule.source).first});
  }

 private:
  static constexpr std::string_view kBins[] = {"-7..", "-4..-6", "-2..-3", "-1", "0", "1", "2..3", "4..6", "7.."};
  static std::size_t bin_of(int distortion) {
    const int length = distortion < 0 ? -distortion : distortion;
    const int bin = length == 0 ? 0 : length == 1 ? 1 : length <= 3 ? 2 : length <= 6 ? 3 : 4;
    return static_cast<std::size_t>(distortion < 0 ? 4 - bin : 4 + bin);
  }
};

}  // namespace

std::unique_ptr<Template> make_distortion_template() { return std::make_unique<DistortionTemplate>(); }

}  // namespace isogloss::features
