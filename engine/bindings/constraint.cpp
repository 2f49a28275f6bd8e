#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/metric.hpp"
#include "metric/reference_ngrams.hpp"
#include "search/batch.hpp"

namespace isogloss::bindings {

namespace nb = nanobind;
using namespace nb::literals;
using search::BatchConstraint;

void bind_constraint(nb::module_& module) {
  using References = std::vector<BatchConstraint::Texts>;
  nb::class_<BatchConstraint>(module, "Constraint", "What translations are wanted: references, and what for.")
      .def_static(
          "force", [](References references) { return BatchConstraint{std::move(references), true, {}}; },
          "references"_a, "Derivations of one of the references of each sentence.")
      .def_static(
          "prefix",
          [](References typed, unsigned most_edits, float edit_cost) {
            if (most_edits > 100) throw nb::value_error("too many edits");
            BatchConstraint made{std::move(typed), false, {}};
            made.begun = true;
            made.most_edits = static_cast<std::uint8_t>(most_edits);
            made.edit_cost = edit_cost;
            return made;
          },
          "typed"_a, nb::kw_only(), "most_edits"_a, "edit_cost"_a,
          "Translations that begin with typed words: for each sentence the whole words, the forms of the half-typed word "
          "that follows them, if any, and words that must not come next.")
      .def_static(
          "oracle",
          [](References references, std::size_t order, const std::string& length, const std::string& smoothing,
             std::optional<double> smoothing_value, bool effective_order) {
            if (order < 1 || order > metric::kMaxNgramOrder) throw nb::value_error("no such order");
            for (const BatchConstraint::Texts& texts : references)
              if (texts.empty()) throw nb::value_error("a sentence has no reference");
            return BatchConstraint{std::move(references), false,
                                   {order, reference_length(length),
                                    bleu_options(smoothing, smoothing_value, effective_order)}};
          },
          "references"_a, nb::kw_only(), "order"_a, "length"_a, "smoothing"_a, "smoothing_value"_a.none(),
          "effective_order"_a, "Translations with the highest sentence BLEU.");
}

}  // namespace isogloss::bindings
