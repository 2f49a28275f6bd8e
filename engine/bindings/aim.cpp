#include "bindings/aim.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "bindings/metric.hpp"
#include "metric/reference_ngrams.hpp"

namespace isogloss::bindings {

namespace nb = nanobind;
using namespace nb::literals;
using namespace search;

References BoundAim::number(std::size_t sentence, const SearchInput& input, const Wording& wording,
                            const Vocabulary& target_words) const {
  References out;
  std::map<std::string, WordId, std::less<>> numbers;
  for (const std::vector<std::string>& text : references[sentence]) {
    std::vector<WordId>& words = out.texts.emplace_back();
    for (const std::string& word : text)
      words.push_back(numbers.try_emplace(word, static_cast<WordId>(numbers.size() + 1)).first->second);
  }
  for (const auto& [word, number] : numbers)
    if (const WordId known = target_words.find(word); known != kNoWord) out.numbers[known] = number;
  const auto add = [&](WordId word) {
    if (const auto found = numbers.find(wording.text(input, word)); found != numbers.end())
      out.numbers[word] = found->second;
  };
  for (std::size_t i = 0; i < input.words.size(); ++i) add(kSourceWord + static_cast<WordId>(i));
  for (std::size_t i = 0; i < input.fixed.size(); ++i) add(kFixedWord + static_cast<WordId>(i));
  return out;
}

void bind_aim(nb::module_& module) {
  nb::class_<BoundAim>(module, "Aim", "What translations are wanted: references, and what for.")
      .def_static(
          "force",
          [](std::vector<BoundAim::Texts> references) { return BoundAim{std::move(references), true, {}}; },
          "references"_a, "Derivations of one of the references of each sentence.")
      .def_static(
          "oracle",
          [](std::vector<BoundAim::Texts> references, std::size_t order, const std::string& length,
             const std::string& smoothing, std::optional<double> smoothing_value, bool effective_order) {
            if (order < 1 || order > metric::kMaxNgramOrder) throw nb::value_error("no such order");
            for (const BoundAim::Texts& texts : references)
              if (texts.empty()) throw nb::value_error("a sentence has no reference");
            return BoundAim{std::move(references), false,
                            {order, reference_length(length),
                             bleu_options(smoothing, smoothing_value, effective_order)}};
          },
          "references"_a, nb::kw_only(), "order"_a, "length"_a, "smoothing"_a, "smoothing_value"_a.none(),
          "effective_order"_a, "Translations of the highest sentence BLEU.");
}

}  // namespace isogloss::bindings
