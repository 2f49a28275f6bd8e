#include "text/spacing.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using text::SpacedLines;
using text::SpacingTemplates;

using Template = std::tuple<std::uint64_t, std::vector<std::uint16_t>, bool>;

/// The model and the arrays that it looks into.
struct Spacing {
  ArrayIn<std::uint64_t> keys;
  MatrixIn<float> weights;
  text::SpacingModel model;
};

SpacingTemplates templates_of(std::size_t properties, std::array<std::size_t, 2> history,
                              const std::vector<Template>& all, std::vector<std::uint64_t> kinds,
                              std::uint64_t no_decision, bool words_apart) {
  SpacingTemplates templates;
  templates.properties = properties;
  templates.history = history;
  for (const auto& [name, fields, between_words] : all) templates.all.push_back({name, fields, between_words});
  templates.kinds = std::move(kinds);
  templates.no_decision = no_decision;
  templates.words_apart = words_apart;
  return templates;
}

SpacedLines lines_of(const ArrayIn<std::uint32_t>& tokens, const ArrayIn<std::int64_t>& offsets,
                     const MatrixIn<std::uint64_t>& properties, const ArrayIn<std::uint8_t>& flags,
                     const ArrayIn<std::uint64_t>& styles, const ArrayIn<std::uint64_t>& touches) {
  return {view(tokens), view(offsets), {properties.data(), properties.size()}, view(flags), view(styles), view(touches)};
}

}  // namespace

void bind_spacing(nb::module_& module) {
  nb::class_<Spacing>(module, "SpacingModel",
                      "Chooses the white space between tokens, by weights of combinations of their properties.")
      .def(
          "__init__",
          [](Spacing* self, std::size_t properties, std::array<std::size_t, 2> history, std::vector<Template> templates,
             std::vector<std::uint64_t> kinds, std::uint64_t no_decision, bool words_apart,
             ArrayIn<std::uint64_t> keys, MatrixIn<float> weights) {
            text::SpacingModel model(
                templates_of(properties, history, templates, std::move(kinds), no_decision, words_apart), view(keys),
                {weights.data(), weights.size()});
            new (self) Spacing{std::move(keys), std::move(weights), std::move(model)};
          },
          nb::kw_only(), "properties"_a, "history"_a, "templates"_a, "kinds"_a, "no_decision"_a, "words_apart"_a,
          "keys"_a, "weights"_a,
          "``templates`` are (name, fields, whether it is used between words); ``keys`` ascend, and ``weights`` has a "
          "row for each.")
      .def(
          "decide",
          [](const Spacing& self, ArrayIn<std::uint32_t> tokens, ArrayIn<std::int64_t> offsets,
             MatrixIn<std::uint64_t> properties, ArrayIn<std::uint8_t> flags, ArrayIn<std::uint64_t> styles,
             ArrayIn<std::uint64_t> touches) {
            Buffer<std::uint8_t> decisions;
            {
              const nb::gil_scoped_release released;
              decisions.resize(tokens.size());
              self.model.decide(lines_of(tokens, offsets, properties, flags, styles, touches),
                                {decisions.data(), decisions.size()});
            }
            return to_numpy(std::move(decisions));
          },
          "tokens"_a, "offsets"_a, "properties"_a, "flags"_a, "styles"_a, "touches"_a,
          nb::sig("def decide(self, tokens: numpy.typing.NDArray[numpy.uint32], offsets: "
                  "numpy.typing.NDArray[numpy.int64], properties: numpy.typing.NDArray[numpy.uint64], flags: "
                  "numpy.typing.NDArray[numpy.uint8], styles: numpy.typing.NDArray[numpy.uint64], touches: "
                  "numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.uint8]"),
          "The kind of white space after each token.")
      .def(
          "features",
          [](const Spacing& self, ArrayIn<std::uint32_t> tokens, ArrayIn<std::int64_t> offsets,
             MatrixIn<std::uint64_t> properties, ArrayIn<std::uint8_t> flags, ArrayIn<std::uint64_t> styles,
             ArrayIn<std::uint64_t> touches, ArrayIn<std::uint8_t> decisions) {
            text::GapFeatures found;
            {
              const nb::gil_scoped_release released;
              text::spacing_features(lines_of(tokens, offsets, properties, flags, styles, touches),
                                     self.model.templates(), view(decisions), found);
            }
            return std::make_tuple(to_numpy(std::move(found.features)), to_numpy(std::move(found.starts)),
                                   to_numpy(std::move(found.gaps)));
          },
          "tokens"_a, "offsets"_a, "properties"_a, "flags"_a, "styles"_a, "touches"_a, "decisions"_a,
          nb::sig("def features(self, tokens: numpy.typing.NDArray[numpy.uint32], offsets: "
                  "numpy.typing.NDArray[numpy.int64], properties: numpy.typing.NDArray[numpy.uint64], flags: "
                  "numpy.typing.NDArray[numpy.uint8], styles: numpy.typing.NDArray[numpy.uint64], touches: "
                  "numpy.typing.NDArray[numpy.uint64], decisions: numpy.typing.NDArray[numpy.uint8]) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64], "
                  "numpy.typing.NDArray[numpy.int64]]"),
          "The features of all gaps that are decided, where those of each begin, and the token before each gap; "
          "``decisions`` are the known ones.");
}

}  // namespace isogloss::bindings
