#include "bindings/lm.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/lm_arrays.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/compile.hpp"
#include "lm/sentences.hpp"

namespace isogloss::bindings {

void bind_lm_build(nb::module_& module);

namespace {

using namespace nb::literals;

using Released = nb::call_guard<nb::gil_scoped_release>;

/// Rows of a stored array as the structures they hold.
template <class Row, class T>
std::span<const Row> rows_of(const MatrixIn<T>& array) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  if (array.shape(1) != sizeof(Row) / sizeof(T) ||
      reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Row) != 0)
    throw nb::value_error("a stored array has rows of another kind");
  return {reinterpret_cast<const Row*>(array.data()), array.shape(0)};
}

/// A table in memory of its own.
ArrayOut<std::uint64_t> copy_table(const MatrixIn<std::uint64_t>& table) {
  const std::span<const lm::MiddleBucket> buckets = rows_of<lm::MiddleBucket>(table);
  auto copy = make_large<lm::MiddleBucket>(buckets.size());
  std::copy(buckets.begin(), buckets.end(), copy.get());
  return lines_to_numpy(copy.release(), buckets.size());
}

MappedModel make_model(unsigned order, const Special& special, nb::object unigrams,
                       std::vector<nb::object> tables, nb::object word_index) {
  // Held as they are: a converted copy would be gone when this function returns.
  const auto matrix = [](const nb::object& array, auto type) {
    using T = decltype(type);
    MatrixIn<T> result;
    if (!nb::try_cast<MatrixIn<T>>(array, result, false))
      throw nb::value_error("a stored array has another type");
    return result;
  };
  if (order < 1 || order > lm::kMaxOrder) throw nb::value_error("the order must be between 1 and 7");
  if (tables.size() + 1 != order) throw nb::value_error("the tables do not fit the order");
  lm::ModelArrays views;
  views.order = order;
  std::tie(views.begin, views.end, views.unknown) = special;
  views.unigrams = rows_of<lm::Weights>(matrix(unigrams, float{}));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto table = matrix(tables[i], std::uint64_t{});
    if (i + 2 == order)
      views.longest = rows_of<lm::LongestBucket>(table);
    else
      views.middle[i] = rows_of<lm::MiddleBucket>(table);
  }
  views.words = rows_of<lm::WordBucket>(matrix(word_index, std::uint64_t{}));
  tables.push_back(std::move(unigrams));
  tables.push_back(std::move(word_index));
  return MappedModel(views, std::move(tables));
}

constexpr std::size_t kSlice = 1 << 12;  // sentences between two looks at signals

nb::tuple score_sentences(const MappedModel& model, const nb::list& sentences, bool bos, bool eos,
                          std::size_t threads) {
  // A copy of the list: another thread may change the caller's while the interpreter is released.
  const auto held = nb::steal<nb::list>(PyList_GetSlice(sentences.ptr(), 0, PY_SSIZE_T_MAX));
  const std::size_t count = nb::len(held);
  Buffer<double> log_probs, unknown_log_probs;
  Buffer<std::uint32_t> words, unknown;
  log_probs.resize(count);
  unknown_log_probs.resize(count);
  words.resize(count);
  unknown.resize(count);
  std::vector<std::string_view> texts;
  std::vector<lm::SentenceScore> scores;
  for (std::size_t first = 0; first < count; first += kSlice) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    texts.clear();
    for (std::size_t i = first; i < std::min(count, first + kSlice); ++i)
      texts.push_back(
          nb::cast<std::string_view>(nb::handle(PyList_GetItem(held.ptr(), static_cast<Py_ssize_t>(i)))));
    const nb::gil_scoped_release release;
    scores.resize(texts.size());
    lm::score_sentences(model, texts, {bos, eos}, threads, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      log_probs[first + i] = scores[i].log_prob;
      unknown_log_probs[first + i] = scores[i].unknown_log_prob;
      words[first + i] = scores[i].words;
      unknown[first + i] = scores[i].unknown;
    }
  }
  return nb::make_tuple(to_numpy(std::move(log_probs)), to_numpy(std::move(words)),
                        to_numpy(std::move(unknown)), to_numpy(std::move(unknown_log_probs)));
}

nb::tuple score_words(const MappedModel& model, std::string_view sentence, bool bos, bool eos) {
  nb::list rows;
  for (const auto& [word, score] : lm::score_words(model, sentence, {bos, eos}))
    rows.append(nb::make_tuple(word, score.log_prob, score.matched, word != model.unknown()));
  return nb::tuple(rows);
}

ArrayOut<WordId> map_words(const MappedModel& model, const text::Vocabulary& vocabulary) {
  Buffer<WordId> ids;
  for (WordId id = 0; id < vocabulary.size(); ++id) ids.push_back(model.find(vocabulary.word(id)));
  return to_numpy(std::move(ids));
}

void bind_reading(nb::module_& module) {
  nb::class_<lm::ArpaReader>(module, "LmArpaReader", "Reads an ARPA file into the tables of a model.")
      .def(nb::init<text::Vocabulary&>(), "vocabulary"_a, nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](lm::ArpaReader& self, nb::bytes bytes) {
            const std::string_view text = bytes_of(bytes);
            const nb::gil_scoped_release release;
            self.feed(text);
          },
          "bytes"_a, "Add the next bytes of the file, split anywhere.")
      .def("finish", &lm::ArpaReader::finish, Released(), "After the last bytes.")
      .def_prop_ro("order", &lm::ArpaReader::order, "The order in the header.")
      .def_prop_ro("counts", &lm::ArpaReader::counts, "n-grams per order.")
      .def_prop_ro("links", &lm::ArpaReader::links, "n-grams put in because longer ones need them.")
      .def_prop_ro("has_unknown", &lm::ArpaReader::has_unknown, "Whether the file has an <unk>.")
      .def_prop_ro(
          "special",
          [](const lm::ArpaReader& self) -> Special {
            return {self.special().begin, self.special().end, self.special().unknown};
          },
          "Word ids of <s>, </s> and <unk>.")
      .def(
          "take_tables",
          [](lm::ArpaReader& self) {
            nb::list tables;
            for (unsigned order = 2; order < self.order(); ++order)
              tables.append(buckets_to_numpy(self.middle(order)));
            if (self.order() > 1) tables.append(buckets_to_numpy(self.longest()));
            return nb::make_tuple(weights_to_numpy(std::move(self.unigrams())), tables);
          },
          nb::sig("def take_tables(self) -> tuple[numpy.typing.NDArray[numpy.float32], "
                  "list[numpy.typing.NDArray[numpy.uint64]]]"),
          "Unigram weights and the tables of higher orders; moved out of the reader, once, after ``finish``.");
}

void bind_queries(nb::module_& module) {
  module.def("lm_copy_table", &copy_table, "table"_a,
             nb::sig("def lm_copy_table(table: numpy.typing.NDArray[numpy.uint64]) "
                     "-> numpy.typing.NDArray[numpy.uint64]"),
             "A copy in private memory, in large pages if available.");
  nb::class_<lm::State>(module, "LmState", "What was seen to the left, as far as the model can use it.")
      .def(
          "__init__", [](lm::State* self) { new (self) lm::State(); },
          "Nothing is known about the context.")
      .def_prop_ro(
          "words",
          [](const lm::State& self) {
            nb::list words;
            for (unsigned i = 0; i < self.length; ++i) words.append(self.words[i]);
            return nb::tuple(words);
          },
          nb::sig("def words(self) -> tuple[int, ...]"), "Word numbers, the last word first.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &lm::State::hash);

  nb::class_<MappedModel>(module, "LmModel", "A language model over stored arrays.")
      .def(
          "__init__",
          [](MappedModel* self, unsigned order, Special special, nb::object unigrams,
             std::vector<nb::object> tables, nb::object word_index) {
            new (self) MappedModel(
                make_model(order, special, std::move(unigrams), std::move(tables), std::move(word_index)));
          },
          "order"_a, "special"_a, "unigrams"_a, "tables"_a, "word_index"_a,
          nb::sig("def __init__(self, order: int, special: tuple[int, int, int], "
                  "unigrams: numpy.typing.NDArray[numpy.float32], "
                  "tables: list[numpy.typing.NDArray[numpy.uint64]], "
                  "word_index: numpy.typing.NDArray[numpy.uint64]) -> None"))
      .def_prop_ro("order", &lm::Model::order, "Words in the longest n-grams.")
      .def_prop_ro("unknown", &lm::Model::unknown, "The id of the unknown word.")
      .def_prop_ro("end_of_sentence", &lm::Model::end_of_sentence, "The number of </s>.")
      .def("find", &lm::Model::find, "word"_a,
           "The id of the word, or of the unknown word.")
      .def("known", &lm::Model::known, "word"_a, "Whether the model holds the word with that number.")
      .def(
          "begin_sentence", [](const MappedModel& self) { return self.begin_sentence(); },
          "The state before the first word of a sentence.")
      .def(
          "score",
          [](const MappedModel& self, const lm::State& state, WordId word) {
            lm::State next;
            const lm::WordScore score = self.score(state, word, next);
            return std::make_tuple(score.log_prob, score.matched, score.open, next);
          },
          "state"_a, "word"_a,
          "log10 P(word | state), words matched, whether it is open, and the state after it.")
      .def("score_words", &score_words, "sentence"_a, nb::kw_only(), "bos"_a, "eos"_a,
           nb::sig("def score_words(self, sentence: str, *, bos: bool, eos: bool) "
                   "-> tuple[tuple[int, float, int, bool], ...]"),
           "For every word: number, log10 probability, words matched, whether the model holds it.")
      .def("score_sentences", &score_sentences, "sentences"_a, nb::kw_only(), "bos"_a, "eos"_a, "threads"_a,
           nb::sig("def score_sentences(self, sentences: list[str], *, bos: bool, eos: bool, threads: int) "
                   "-> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64]]"),
           "For every sentence: log10 probability, words, unknown words, and what those contribute.")
      .def("map_words", &map_words, "vocabulary"_a,
           nb::sig("def map_words(self, vocabulary: Vocabulary) -> numpy.typing.NDArray[numpy.uint32]"),
           "The model's id for every word of a vocabulary.");
}

}  // namespace

void bind_lm(nb::module_& module) {
  module.attr("LM_MAX_ORDER") = lm::kMaxOrder;
  bind_lm_build(module);
  bind_reading(module);
  bind_queries(module);
}

}  // namespace isogloss::bindings
