#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/neural.hpp"
#include "neural/joint_trainer.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using namespace neural;

/// The trainer and the arrays that it looks into.
struct BoundJointTrainer {
  ArrayIn<std::uint32_t> source, target, position;
  ArrayIn<std::int64_t> source_begin, target_begin;
  JointTrainer trainer;
};

using Parameters = nb::typed<nb::dict, nb::str, nb::any>;

const std::pair<const char*, std::vector<float> JointParameters::*> kParameters[] = {
    {"source_embedding", &JointParameters::source_embedding},
    {"target_embedding", &JointParameters::target_embedding},
    {"hidden", &JointParameters::hidden},
    {"hidden_bias", &JointParameters::hidden_bias},
    {"output", &JointParameters::output},
    {"output_bias", &JointParameters::output_bias}};

Parameters copied(const JointParameters& parameters) {
  Parameters out;
  for (auto [name, member] : kParameters) {
    Buffer<float> values;
    values.append((parameters.*member).data(), (parameters.*member).size());
    out[name] = to_numpy(std::move(values));
  }
  return out;
}

void take(JointParameters& parameters, const Parameters& given) {
  for (auto [name, member] : kParameters) {
    const auto values = nb::cast<ArrayIn<float>>(given[name]);
    if (values.size() != (parameters.*member).size())
      throw nb::value_error((std::string(name) + " has another size").c_str());
    (parameters.*member).assign(values.data(), values.data() + values.size());
  }
}

/// The words of a sentence pair scored one after the other, the end included.
std::vector<float> score_pair(const JointModel& model, const std::vector<std::string>& source,
                              const std::vector<std::string>& target, const std::vector<std::uint32_t>& positions) {
  if (positions.size() != target.size() + 1)
    throw nb::value_error("one source position for each target word and the end is expected");
  for (std::uint32_t position : positions)
    if (position > source.size()) throw nb::value_error("a source position is out of range");
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : source) numbers.push_back(model.source_number(word));
  std::vector<float> windows, scores;
  model.windows(numbers, windows);
  std::vector<std::uint32_t> history(model.shape().history, kBegin);
  for (std::size_t i = 0; i <= target.size(); ++i) {
    const std::uint32_t word = i < target.size() ? model.target_number(target[i]) : static_cast<std::uint32_t>(kEnd);
    scores.push_back(model.score(windows.data() + positions[i] * model.shape().hidden, history, word));
    history.insert(history.begin(), word);
    history.pop_back();
  }
  return scores;
}

void bind_model(nb::module_& module) {
  nb::class_<BoundJointModel>(module, "JointModel",
                              "Predicts the next target word from the last ones and a window of the source.")
      .def(
          "__init__",
          [](BoundJointModel* self, std::size_t window, std::size_t history_words, std::size_t embedding,
             std::size_t hidden, const std::vector<std::string>& source_words,
             const std::vector<std::string>& target_words, ArrayIn<float> source_embedding,
             ArrayIn<float> source_hidden, ArrayIn<float> hidden_bias, ArrayIn<float> history, ArrayIn<float> output,
             ArrayIn<float> output_bias) {
            const auto numbered = [](const std::vector<std::string>& words) {
              text::Vocabulary vocabulary;
              for (const std::string& word : words)
                if (vocabulary.add(word) + 1 != vocabulary.size()) throw nb::value_error("a word occurs twice");
              return vocabulary;
            };
            new (self) BoundJointModel(
                {source_words.size(), target_words.size(), window, history_words, embedding, hidden},
                numbered(source_words), numbered(target_words), std::move(source_embedding), std::move(source_hidden),
                std::move(hidden_bias), std::move(history), std::move(output), std::move(output_bias));
          },
          nb::kw_only(), "window"_a, "history_words"_a, "embedding"_a, "hidden"_a, "source_words"_a, "target_words"_a,
          "source_embedding"_a, "source_hidden"_a, "hidden_bias"_a, "history"_a, "output"_a, "output_bias"_a,
          "``history`` has for each place before the predicted word and each target word what it adds to the hidden "
          "layer.")
      .def(
          "score",
          [](const BoundJointModel& self, const std::vector<std::string>& source,
             const std::vector<std::string>& target,
             const std::vector<std::uint32_t>& positions) { return score_pair(self.model, source, target, positions); },
          "source"_a, "target"_a, "positions"_a,
          "Log probabilities of the target words and of their end; ``positions`` are the source words they belong to.");
}

void bind_trainer(nb::module_& module) {
  nb::class_<BoundJointTrainer>(module, "JointTrainer",
                                "Learns to predict the next target word from the last ones and a window of the source.")
      .def(
          "__init__",
          [](BoundJointTrainer* self, std::size_t source_words, std::size_t target_words, std::size_t window,
             std::size_t history, std::size_t embedding, std::size_t hidden, ArrayIn<std::uint32_t> source,
             ArrayIn<std::uint32_t> target, ArrayIn<std::int64_t> source_begin, ArrayIn<std::int64_t> target_begin,
             ArrayIn<std::uint32_t> position, ArrayIn<double> noise, std::size_t batch, std::size_t noise_words,
             float penalty, float hidden_dropout, float history_dropout, std::uint64_t seed) {
            const JointText text{view(source), view(target), view(source_begin), view(target_begin), view(position)};
            JointTrainer trainer({source_words, target_words, window, history, embedding, hidden}, text, view(noise),
                                 {batch, noise_words, penalty, hidden_dropout, history_dropout, seed});
            new (self) BoundJointTrainer{std::move(source), std::move(target), std::move(position),
                                         std::move(source_begin), std::move(target_begin), std::move(trainer)};
          },
          nb::kw_only(), "source_words"_a, "target_words"_a, "window"_a, "history"_a, "embedding"_a, "hidden"_a,
          "source"_a, "target"_a, "source_begin"_a, "target_begin"_a, "position"_a, "noise"_a, "batch"_a,
          "noise_words"_a, "penalty"_a, "hidden_dropout"_a, "history_dropout"_a, "seed"_a,
          "The text is given by numbers of words; a sample is a target word or the end of a sentence.")
      .def(
          "train",
          [](BoundJointTrainer& self, ArrayIn<std::uint32_t> samples, float step, float last_step,
             std::size_t threads) {
            const nb::gil_scoped_release release;
            self.trainer.train(view(samples), step, last_step, threads);
          },
          "samples"_a, nb::kw_only(), "step"_a, "last_step"_a, "threads"_a = 1,
          "Learn from samples in this order; steps change evenly from ``step`` to ``last_step``.")
      .def(
          "predict",
          [](const BoundJointTrainer& self, ArrayIn<std::uint32_t> samples, std::size_t threads) {
            Buffer<float> hidden;
            Buffer<double> scores, log_sums;
            {
              const nb::gil_scoped_release release;
              hidden.resize(samples.size() * self.trainer.shape().hidden);
              scores.resize(samples.size());
              log_sums.resize(samples.size());
              self.trainer.predict(view(samples), threads, {hidden.data(), hidden.size()},
                                   {scores.data(), scores.size()}, {log_sums.data(), log_sums.size()});
            }
            return std::make_tuple(to_numpy(std::move(hidden), {samples.size(), self.trainer.shape().hidden}),
                                   to_numpy(std::move(scores)), to_numpy(std::move(log_sums)));
          },
          "samples"_a, nb::kw_only(), "threads"_a = 1,
          "For each sample the hidden layer, the score of the true word, and the logarithm of what all probabilities "
          "sum to.")
      .def("parameters", [](BoundJointTrainer& self) { return copied(self.trainer.parameters()); }, "What was learned.")
      .def(
          "state",
          [](BoundJointTrainer& self) {
            return std::make_tuple(self.trainer.steps(), copied(self.trainer.parameters()),
                                   copied(self.trainer.squares()));
          },
          "All that learning goes on from: steps taken, what was learned, sums of squared gradients.")
      .def(
          "restore",
          [](BoundJointTrainer& self, std::uint64_t steps, const Parameters& parameters, const Parameters& squares) {
            take(self.trainer.parameters(), parameters);
            take(self.trainer.squares(), squares);
            self.trainer.steps() = steps;
          },
          "steps"_a, "parameters"_a, "squares"_a, "Go on from a state.");
}

}  // namespace

void bind_neural(nb::module_& module) {
  bind_model(module);
  bind_trainer(module);
}

}  // namespace isogloss::bindings
