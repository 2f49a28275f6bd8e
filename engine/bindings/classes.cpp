#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "bindings/arrays.hpp"
#include "classes/bigrams.hpp"
#include "classes/exchange.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

template <class Target, class Source>
ArrayOut<Target> copy_of(std::span<const Source> values) {
  Buffer<Target> copy;
  copy.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) copy[i] = static_cast<Target>(values[i]);
  return to_numpy(std::move(copy));
}

}  // namespace

void bind_classes(nb::module_& module) {
  module.attr("MOST_CLASSES") = classes::kMostClasses;
  nb::class_<classes::BigramCounter>(module, "BigramCounter", "Counts words and adjacent pairs, batch by batch.")
      .def(nb::init<>())
      .def(
          "add",
          [](classes::BigramCounter& self, ArrayIn<WordId> ids, ArrayIn<std::int64_t> offsets) {
            const nb::gil_scoped_release released;
            self.add(view(ids), view(offsets));
          },
          "ids"_a, "offsets"_a, "Add the sentences between consecutive offsets.")
      .def(
          "add_pairs",
          [](classes::BigramCounter& self, ArrayIn<WordId> left, ArrayIn<WordId> right, ArrayIn<std::uint32_t> counts) {
            const nb::gil_scoped_release released;
            self.add_pairs(view(left), view(right), view(counts));
          },
          "left"_a, "right"_a, "counts"_a, "Add the pairs of another counter, with the ids that words have here.")
      .def(
          "counted_pairs",
          [](const classes::BigramCounter& self) {
            Buffer<WordId> left, right;
            Buffer<std::uint32_t> counts;
            for (const auto& pair : self.counted_pairs()) {
              left.push_back(pair.left);
              right.push_back(pair.right);
              counts.push_back(pair.count);
            }
            return std::make_tuple(to_numpy(std::move(left)), to_numpy(std::move(right)), to_numpy(std::move(counts)));
          },
          nb::sig("def counted_pairs(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]"),
          "Left words, right words (``NO_WORD`` is the sentence boundary) and counts, by first appearance.")
      .def(
          "counts", [](const classes::BigramCounter& self) { return copy_of<std::uint64_t>(self.counts()); },
          nb::sig("def counts(self) -> numpy.typing.NDArray[numpy.uint64]"), "Occurrences of every word.")
      .def(
          "units",
          [](const classes::BigramCounter& self, ArrayIn<std::uint32_t> unit_of, std::uint32_t units) {
            const nb::gil_scoped_release released;
            return std::make_shared<const classes::UnitBigrams>(self.units(view(unit_of), units));
          },
          "unit_of"_a, "units"_a, "The counts with word w taken as unit ``unit_of[w]``, below ``units``.")
      .def_prop_ro("sentences", &classes::BigramCounter::sentences, "Number of sentences that are not empty.")
      .def_prop_ro("pairs", &classes::BigramCounter::pairs, "Different pairs of neighbors, sentence ends included.");

  nb::class_<classes::UnitBigrams>(module, "UnitBigrams", "Counts of units (words, or rare words together).")
      .def_ro("total", &classes::UnitBigrams::total, "Words and sentence ends of the corpus.")
      .def_prop_ro("units", &classes::UnitBigrams::boundary, "Units, the sentence boundary not counted.");

  nb::class_<classes::ExchangeClustering>(module, "ExchangeClustering",
                                          "Moves units (words) between classes to raise the class-bigram likelihood.")
      .def(
          "__init__",
          [](classes::ExchangeClustering* self, std::shared_ptr<const classes::UnitBigrams> bigrams,
             ArrayIn<std::uint32_t> initial, std::uint32_t classes) {
            const nb::gil_scoped_release released;
            new (self) classes::ExchangeClustering(std::move(bigrams), classes, view(initial));
          },
          "bigrams"_a, "initial"_a, nb::kw_only(), "classes"_a)
      .def("exchange", &classes::ExchangeClustering::exchange, "begin"_a, "end"_a,
           nb::call_guard<nb::gil_scoped_release>(),
           "Move each unit in [begin, end) to its best class; returns how many moved.")
      .def_prop_ro(
          "likelihood",
          [](const classes::ExchangeClustering& self) {
            return static_cast<double>(self.likelihood()) / classes::ExchangeClustering::kStepsPerBit;
          },
          "Log-likelihood of the corpus in bits.")
      .def_prop_ro("likelihood_steps", &classes::ExchangeClustering::likelihood, "The same in exact fixed point.")
      .def("recomputed_likelihood_steps", &classes::ExchangeClustering::recomputed_likelihood,
           "The same, recomputed from the counts.")
      .def("gain_steps", &classes::ExchangeClustering::gain, "unit"_a, "target"_a,
           "What moving the unit to the class would add to the likelihood, in exact fixed point.")
      .def(
          "class_of", [](const classes::ExchangeClustering& self) { return copy_of<std::uint32_t>(self.class_of()); },
          nb::sig("def class_of(self) -> numpy.typing.NDArray[numpy.uint32]"), "The class of each unit.");
}

}  // namespace isogloss::bindings
