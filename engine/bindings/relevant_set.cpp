#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "learn/relevant_set.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

template <class T>
ArrayOut<T> array_of(const std::vector<T>& values) {
  Buffer<T> buffer;
  buffer.append(values.data(), values.size());
  return to_numpy(std::move(buffer));
}

/// Sequences in flat arrays, each with the number of its sentence.
class Sequences {
 public:
  Sequences(const ArrayIn<std::uint32_t>& sentences, const ArrayIn<std::int64_t>& offsets,
            const ArrayIn<std::uint64_t>& features, const ArrayIn<float>& counts, const MatrixIn<double>& real,
            const ArrayIn<double>& qualities)
      : sentences_(view(sentences)), qualities_(view(qualities)) {
    const std::size_t rows = sentences.size();
    if (offsets.size() != rows + 1 || real.shape(0) != rows || qualities.size() != rows ||
        features.size() != counts.size())
      throw nb::value_error("the arrays of sequences do not fit together");
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
      if (begin < 0 || end < begin || static_cast<std::size_t>(end) > features.size())
        throw nb::value_error("the offsets of sequences do not rise or lead nowhere");
      const auto first = static_cast<std::size_t>(begin), size = static_cast<std::size_t>(end - begin);
      rows_.push_back({view(features).subspan(first, size), view(counts).subspan(first, size),
                       {real.data() + i * real.shape(1), real.shape(1)}});
    }
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t sentence(std::size_t row) const { return sentences_[row]; }
  double quality(std::size_t row) const { return qualities_[row]; }
  const learn::SequenceFeatures& operator[](std::size_t row) const { return rows_[row]; }

  /// Calls `visit(sentence, first row, rows of the sentence, their qualities)`.
  template <class Visit>
  void for_each_sentence(Visit&& visit) const {
    for (std::size_t begin = 0, end; begin < size(); begin = end) {
      end = begin + 1;
      while (end < size() && sentences_[end] == sentences_[begin]) ++end;
      visit(sentences_[begin], begin, std::span(rows_).subspan(begin, end - begin),
            qualities_.subspan(begin, end - begin));
    }
  }

 private:
  std::span<const std::uint32_t> sentences_;
  std::span<const double> qualities_;
  std::vector<learn::SequenceFeatures> rows_;
};

using Sentences = ArrayIn<std::uint32_t>;

ArrayOut<std::uint8_t> add(learn::RelevantSet& self, Sentences sentences, ArrayIn<std::int64_t> offsets,
                           ArrayIn<std::uint64_t> features, ArrayIn<float> counts, MatrixIn<double> real,
                           ArrayIn<double> qualities, bool as_truth) {
  const Sequences sequences(sentences, offsets, features, counts, real, qualities);
  Buffer<std::uint8_t> roles;
  {
    const nb::gil_scoped_release released;
    for (std::size_t i = 0; i < sequences.size(); ++i)
      roles.push_back(static_cast<std::uint8_t>(
          self.add(sequences.sentence(i), sequences[i], sequences.quality(i), as_truth)));
  }
  return to_numpy(std::move(roles));
}

ArrayOut<std::int64_t> most_costly(const learn::RelevantSet& self, Sentences sentences, ArrayIn<std::int64_t> offsets,
                                   ArrayIn<std::uint64_t> features, ArrayIn<float> counts, MatrixIn<double> real,
                                   ArrayIn<double> qualities) {
  const Sequences sequences(sentences, offsets, features, counts, real, qualities);
  Buffer<std::int64_t> chosen;
  {
    const nb::gil_scoped_release released;
    sequences.for_each_sentence([&](std::size_t sentence, std::size_t first, auto rows, auto values) {
      for (std::size_t row : self.most_costly(sentence, rows, values))
        chosen.push_back(static_cast<std::int64_t>(first + row));
    });
  }
  return to_numpy(std::move(chosen));
}

std::tuple<std::size_t, std::size_t, double> sweep(learn::RelevantSet& self, ArrayIn<std::uint32_t> order,
                                                   double learning_rate, double decay, double regularization) {
  const nb::gil_scoped_release released;
  const learn::SgdPass pass = self.sweep(view(order), {learning_rate, decay, regularization});
  return {pass.steps, pass.updates, pass.loss};
}

/// Real-valued weights, and features that have a weight, by ascending id, with their weights.
nb::tuple weights(const learn::RelevantSet& self, ArrayIn<double> by_column) {
  const std::span<const double> found = view(by_column);
  if (found.size() > self.rows().columns() || found.size() < self.rows().real_columns())
    throw nb::value_error("a weight for each column is expected");
  Buffer<double> real;
  Buffer<std::uint64_t> features;
  Buffer<float> values;
  {
    const nb::gil_scoped_release released;
    const std::size_t first = self.rows().real_columns();
    for (std::size_t i = 0; i < first; ++i) real.push_back(found[i]);
    std::vector<learn::SequenceRows::Column> order;
    for (std::size_t i = first; i < found.size(); ++i)
      if (static_cast<float>(found[i]) != 0) order.push_back(static_cast<learn::SequenceRows::Column>(i));
    std::ranges::sort(order, {}, [&](learn::SequenceRows::Column column) { return self.rows().feature(column); });
    for (learn::SequenceRows::Column column : order) {
      features.push_back(self.rows().feature(column));
      values.push_back(static_cast<float>(found[column]));
    }
  }
  return nb::make_tuple(to_numpy(std::move(real)), to_numpy(std::move(features)), to_numpy(std::move(values)));
}

}  // namespace

void bind_relevant_set(nb::module_& module) {
  nb::class_<learn::RelevantSet>(module, "RelevantSet",
                                 "Sequences of every sentence that matter for the weights, and the weights. One thread.")
      .def("__init__",
           [](learn::RelevantSet* self, std::size_t sentences, std::size_t truths, std::size_t real_columns,
              std::uint32_t min_count) { new (self) learn::RelevantSet(sentences, truths, real_columns, min_count); },
           nb::kw_only(), "sentences"_a, "truths"_a, "real_columns"_a, "min_count"_a)
      .def("add", &add, "sentences"_a, "offsets"_a, "features"_a, "counts"_a, "real"_a, "qualities"_a,
           nb::kw_only(), "as_truth"_a,
           "Add sequences; tells for each what it became: 0 nothing (it was there), 1 alternative, 2 truth.")
      .def("most_costly", &most_costly, "sentences"_a, "offsets"_a, "features"_a, "counts"_a, "real"_a,
           "qualities"_a, "Those of some sequences, by sentence, that cost a truth of their sentence the most.")
      .def("sweep", &sweep, "order"_a, nb::kw_only(), "learning_rate"_a, "decay"_a, "regularization"_a,
           "A pass of stochastic gradient descent: steps, steps that changed anything, summed costs.")
      .def("losses",
           [](const learn::RelevantSet& self, std::size_t threads) {
             std::vector<double> found;
             {
               const nb::gil_scoped_release released;
               found = self.losses(threads);
             }
             return array_of(found);
           },
           "threads"_a = 1, "The loss of every sentence with the current weights.")
      .def("take_activated", [](learn::RelevantSet& self) { return array_of(self.rows().take_activated()); },
           "Features that have been seen often enough since the last call.")
      .def("weights", &weights, "by_column"_a,
           nb::sig("def weights(self, by_column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', "
                   "device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint64], "
                   "NDArray[numpy.float32]]"),
           "Weights of real-valued features; sparse features with a weight by rising number; their weights.")
      .def("now", [](const learn::RelevantSet& self) { return array_of(self.weights().now()); }, "Weights by column.")
      .def("mean", [](const learn::RelevantSet& self) { return array_of(self.weights().mean()); },
           "Their mean over the steps since the restart; before the first step those of now.")
      .def("restart", [](learn::RelevantSet& self, ArrayIn<double> weights) { self.restart(view(weights)); },
           "weights"_a, "Continue from these weights, with the initial learning rate and an empty mean.")
      .def("sizes",
           [](const learn::RelevantSet& self, std::size_t sentence) {
             if (sentence >= self.sentences()) throw nb::index_error("no such sentence");
             return std::tuple(self.truths(sentence), self.alternatives(sentence));
           },
           "sentence"_a, "Number of truths and alternatives of a sentence.")
      .def("best_quality", &learn::RelevantSet::best_quality, "Mean quality of the best truth of a sentence.")
      .def("squared_norm", [](const learn::RelevantSet& self) { return self.weights().squared_norm(); },
           "Of the weights.")
      .def_prop_ro("rows", [](const learn::RelevantSet& self) { return self.rows().rows(); }, "Sequences.")
      .def_prop_ro("columns", [](const learn::RelevantSet& self) { return self.rows().columns(); },
                   "Features seen so far, real-valued ones included.")
      .def_prop_ro("entries", [](const learn::RelevantSet& self) { return self.rows().entries(); },
                   "Features of all sequences.")
      .def_prop_ro("bytes", [](const learn::RelevantSet& self) { return self.rows().bytes() + self.weights().bytes(); },
                   "Memory in use.");
}

}  // namespace isogloss::bindings
