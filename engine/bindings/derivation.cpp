#include "bindings/derivation.hpp"

#include <nanobind/stl/string_view.h>

namespace isogloss::bindings {

namespace nb = nanobind;
using namespace search;

nb::tuple to_tuple(const DerivationStep& step, const Input& input, const Wording& wording) {
  static constexpr const char* kKinds[] = {"rule", "glue_phrase_gap", "glue_gap_phrase", "glue_gaps",
                                           "glue_gaps_swapped"};
  const auto span = [&](Span s) { return nb::make_tuple(input.first_word[s.begin], input.word_end[s.end]); };
  nb::list gaps;
  for (const Span& gap : step.gaps) gaps.append(span(gap));
  nb::list source;
  for (WordId symbol : step.symbols)
    source.append(symbol == kGap ? nb::object(nb::none()) : nb::cast(wording.source_words().word(symbol)));
  static constexpr const char* kOrigins[kArcKinds] = {"table", "split", "related", "dictionary", "rewritten"};
  const char* origin = kOrigins[static_cast<std::size_t>(step.from)];
  if (step.rule == kPassedThrough) origin = "unknown";
  if (step.rule == kFixed && step.from == ArcKind::kGiven) origin = "fixed";
  return nb::make_tuple(origin, kKinds[static_cast<std::size_t>(step.kind)], source, span(step.span), span(step.own),
                        gaps, nb::make_tuple(step.target_begin, step.target_end));
}

}  // namespace isogloss::bindings
