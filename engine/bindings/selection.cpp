#include "selection/ngram_sampler.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using selection::NgramSampler;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::tuple<ArrayOut<std::int64_t>, ArrayOut<std::uint32_t>, ArrayOut<double>, ArrayOut<double>> chosen(const NgramSampler& self) {
  Buffer<std::int64_t> sentences;
  Buffer<std::uint32_t> depths;
  Buffer<double> precisions, worths;
  {
    const nb::gil_scoped_release released;
    for (const selection::Choice& choice : self.chosen()) {
      sentences.push_back(static_cast<std::int64_t>(choice.sentence));
      depths.push_back(choice.depth);
      precisions.push_back(choice.precision);
      worths.push_back(choice.worth);
    }
  }
  return {to_numpy(std::move(sentences)), to_numpy(std::move(depths)), to_numpy(std::move(precisions)),
          to_numpy(std::move(worths))};
}

}  // namespace

void bind_selection(nb::module_& module) {
  nb::class_<NgramSampler>(module, "NgramSampler",
                           "Selects sentences of a corpus by n-gram precision and coverage of a text.")
      .def(nb::init<unsigned, std::uint32_t>(), nb::kw_only(), "order"_a, "coverage"_a)
      .def(
          "add_text",
          [](NgramSampler& self, nb::bytes text) {
            for (std::string_view line : lines_of({text.c_str(), text.size()})) self.add_text(line);
          },
          "text"_a, "The text to select for, one sentence per line; before the corpus.")
      .def(
          "feed",
          [](NgramSampler& self, nb::bytes text, std::size_t threads) {
            const std::string_view bytes(text.c_str(), text.size());
            const nb::gil_scoped_release released;
            self.feed(lines_of(bytes), threads);
          },
          "text"_a, nb::kw_only(), "threads"_a = 1,
          "Add the next sentences of the corpus, one per line; every line must end with a line feed.")
      .def("chosen", &chosen, 
           "Numbers of the chosen sentences; of each the least coverage that brings it in, its best precision, and how "
           "rare the n-grams are that it was chosen for.")
      .def("ngrams", &NgramSampler::ngrams, "Different n-grams of the text, for each length.")
      .def("found", &NgramSampler::found, "Those of them that the corpus has.")
      .def_prop_ro("texts", &NgramSampler::texts, "Different sentences of the text.")
      .def_prop_ro("sentences", &NgramSampler::sentences, "Sentences of the corpus so far.")
      .def_prop_ro("words", &NgramSampler::words, "Their words.");
}

}  // namespace isogloss::bindings
