#include "bindings/lm.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
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
#include <variant>
#include <vector>

#include "lm/arpa_reader.hpp"
#include "lm/arpa_writer.hpp"
#include "lm/compile.hpp"
#include "lm/counter.hpp"
#include "lm/kneser_ney.hpp"
#include "lm/merge.hpp"
#include "lm/sentences.hpp"
#include "lm/trie.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using lm::Trie;

using Ids = ArrayIn<std::uint32_t>;
template <class T>
using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using FilledRows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Released = nb::call_guard<nb::gil_scoped_release>;
using Special = std::tuple<WordId, WordId, WordId>;

lm::SpecialWords special_words(const Special& words) {
  return {std::get<0>(words), std::get<1>(words), std::get<2>(words)};
}

template <class T>
std::span<T> writable(const Filled<T>& array) {
  return {array.data(), array.size()};
}

/// Rows of a stored array as the structures they hold.
template <class Row, class T>
std::span<const Row> rows_of(const MatrixIn<T>& array) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  if (array.shape(1) != sizeof(Row) / sizeof(T) || reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Row) != 0)
    throw nb::value_error("a stored array has rows of another kind");
  return {reinterpret_cast<const Row*>(array.data()), array.shape(0)};
}

/// Sums are rows of five numbers.
std::span<lm::ContextSum> sums_of(const FilledRows<std::uint32_t>& array) {
  if (array.shape(1) != 5) throw nb::value_error("sums have five columns");
  return {reinterpret_cast<lm::ContextSum*>(array.data()), array.shape(0)};
}

ArrayOut<std::uint64_t> lines_to_numpy(void* lines, std::size_t count) {
  nb::capsule owner(lines, [](void* memory) noexcept { lm::FreeLines()(memory); });
  return ArrayOut<std::uint64_t>(static_cast<std::uint64_t*>(lines), {count, lm::kLine / sizeof(std::uint64_t)},
                                 owner);
}

template <class Bucket>
ArrayOut<std::uint64_t> buckets_to_numpy(lm::TableBuilder<Bucket>& table) {
  const std::size_t count = table.buckets().size();
  return lines_to_numpy(table.release().release(), count);
}

/// A table in memory of its own.
ArrayOut<std::uint64_t> copy_table(const MatrixIn<std::uint64_t>& table) {
  const std::span<const lm::MiddleBucket> buckets = rows_of<lm::MiddleBucket>(table);
  auto copy = lm::allocate_lines<lm::MiddleBucket>(buckets.size());
  std::copy(buckets.begin(), buckets.end(), copy.get());
  return lines_to_numpy(copy.release(), buckets.size());
}

ArrayOut<float> weights_to_numpy(Buffer<lm::Weights>&& weights) {
  const std::size_t count = weights.size();
  nb::capsule owner(weights.data() == nullptr ? std::malloc(1) : weights.data(),
                    [](void* memory) noexcept { std::free(memory); });
  return ArrayOut<float>(reinterpret_cast<float*>(weights.release()), {count, 2}, owner);
}

/// A finished trie together with the arrays it is a view of.
struct MappedTrie : Trie {
  std::vector<Ids> arrays;
};

MappedTrie make_trie(const std::vector<std::tuple<Ids, Ids, Ids>>& columns) {
  MappedTrie trie;
  if (columns.empty() || columns.size() > lm::kMaxOrder) throw nb::value_error("a trie has 1 to 7 orders");
  for (std::size_t level = 0; level < columns.size(); ++level) {
    const auto& [words, counts, children] = columns[level];
    const bool highest = level + 1 == columns.size();
    if (words.size() != (level == 0 ? 0 : counts.size()) || children.size() != (highest ? 0 : counts.size() + 1))
      throw nb::value_error("the columns of the trie do not fit together");
    trie.levels.push_back({view(words), view(counts), view(children)});
    trie.arrays.insert(trie.arrays.end(), {words, counts, children});
  }
  return trie;
}

/// Fills the table of one order above 1, a range of entries at a time.
class TableCompiler {
 public:
  TableCompiler(const MappedTrie& trie, unsigned order, std::size_t entries) : trie_(trie), order_(order) {
    if (order < 2 || order > trie.order()) throw nb::value_error("no table for that order");
    if (order == trie.order())
      table_.emplace<1>(entries, lm::kLongestLoad);
    else
      table_.emplace<0>(entries, lm::kMiddleLoad);
  }

  void add(const ArrayIn<float>& log_probs, const ArrayIn<float>& backoffs, std::size_t begin, std::size_t end) {
    const bool highest = order_ == trie_.order();
    const std::size_t size = trie_.levels[order_ - 1].counts.size();
    if (end > size || log_probs.size() != size || backoffs.size() != (highest ? 0 : size))
      throw nb::value_error("the columns of the model do not fit together");
    const nb::gil_scoped_release release;
    if (highest)
      lm::compile_longest(trie_, view(log_probs), begin, end, std::get<1>(table_));
    else
      lm::compile_middle(trie_, order_, view(log_probs), view(backoffs), begin, end, std::get<0>(table_));
  }

  ArrayOut<std::uint64_t> finish() {
    return std::visit([](auto& table) { return buckets_to_numpy(table); }, table_);
  }

 private:
  const MappedTrie& trie_;
  unsigned order_;
  std::variant<lm::TableBuilder<lm::MiddleBucket>, lm::TableBuilder<lm::LongestBucket>> table_{
      std::in_place_index<0>, 0, lm::kMiddleLoad};
};

MappedModel make_model(unsigned order, const Special& special, nb::object unigrams, std::vector<nb::object> tables,
                       nb::object word_index) {
  // Held as they are: a converted copy would be gone when this function returns.
  const auto matrix = [](const nb::object& array, auto type) {
    using T = decltype(type);
    MatrixIn<T> result;
    if (!nb::try_cast<MatrixIn<T>>(array, result, false)) throw nb::value_error("a stored array has another type");
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
      texts.push_back(nb::cast<std::string_view>(nb::handle(PyList_GetItem(held.ptr(), static_cast<Py_ssize_t>(i)))));
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
  return nb::make_tuple(to_numpy(std::move(log_probs)), to_numpy(std::move(words)), to_numpy(std::move(unknown)),
                        to_numpy(std::move(unknown_log_probs)));
}

nb::tuple score_words(const MappedModel& model, std::string_view sentence, bool bos, bool eos) {
  nb::list rows;
  for (const auto& [word, score] : lm::score_words(model, sentence, {bos, eos}))
    rows.append(nb::make_tuple(word, score.log_prob, score.matched, word != model.unknown()));
  return nb::tuple(rows);
}

ArrayOut<WordId> map_words(const MappedModel& model, const Vocabulary& vocabulary) {
  Buffer<WordId> ids;
  for (WordId id = 0; id < vocabulary.size(); ++id) ids.push_back(model.find(vocabulary.word(id)));
  return to_numpy(std::move(ids));
}

std::string_view bytes_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

void bind_counting(nb::module_& module) {
  nb::class_<lm::TrieBuilder>(module, "LmTrieBuilder", "Turns sorted n-grams into all orders with adjusted counts.")
      .def(
          "__init__",
          [](lm::TrieBuilder* self, unsigned order, std::vector<std::uint64_t> thresholds, Special special) {
            if (order < 1 || order > lm::kMaxOrder) throw nb::value_error("the order must be between 1 and 7");
            new (self) lm::TrieBuilder(order, std::move(thresholds), special_words(special));
          },
          "order"_a, "thresholds"_a, "special"_a)
      .def("finish", &lm::TrieBuilder::finish, "vocabulary_size"_a, "After the last n-gram.")
      .def_prop_ro("bytes", &lm::TrieBuilder::bytes, "Memory in use for columns.")
      .def(
          "statistics",
          [](const lm::TrieBuilder& self, unsigned order) {
            if (order < 1 || order > self.order()) throw nb::index_error("no such order");
            return std::make_pair(self.statistics(order).kept, self.statistics(order).with_count);
          },
          "order"_a, "n-grams kept, and how many have adjusted count 0 to 4.")
      .def(
          "take",
          [](lm::TrieBuilder& self, unsigned order) {
            if (order < 1 || order > self.order()) throw nb::index_error("no such order");
            lm::TrieColumns columns = self.take(order);
            return std::make_tuple(to_numpy(std::move(columns.words)), to_numpy(std::move(columns.counts)),
                                   to_numpy(std::move(columns.children)));
          },
          "order"_a,
          nb::sig("def take(self, order: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]"),
          "First words, counts and beginnings of children, as far as complete; they leave the builder.");

  nb::class_<lm::Counter>(module, "LmCounter", "Reads text and sorts its n-grams, a block at a time.")
      .def(
          "__init__",
          [](lm::Counter* self, Vocabulary& vocabulary, unsigned order, Special special, bool special_as_unknown) {
            if (order < 1 || order > lm::kMaxOrder) throw nb::value_error("the order must be between 1 and 7");
            new (self) lm::Counter(vocabulary, order, special_words(special), special_as_unknown);
          },
          "vocabulary"_a, "order"_a, "special"_a, nb::kw_only(), "special_as_unknown"_a = false,
          nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](lm::Counter& self, nb::bytes bytes) {
            const std::string_view text = bytes_of(bytes);
            const nb::gil_scoped_release release;
            self.feed(text);
          },
          "bytes"_a, "The next bytes of a file, cut anywhere; every line is a sentence.")
      .def("end_file", &lm::Counter::end_file, "Ends the last line; lines count from 1 again.")
      .def_prop_ro("sentences", &lm::Counter::sentences, "Sentences of all text so far.")
      .def_prop_ro("words", &lm::Counter::words, "Words of all text so far.")
      .def_prop_ro("tokens", &lm::Counter::tokens, "Tokens of the block: words and both ends of sentences.")
      .def("begin_sort", &lm::Counter::begin_sort, Released(), "Starts sorting the block.")
      .def("sort_some", &lm::Counter::sort_some, "budget"_a, "threads"_a, Released(),
           "Sorts about ``budget`` more tokens; true when all are sorted.")
      .def("emit", nb::overload_cast<lm::TrieBuilder&, std::size_t>(&lm::Counter::emit), "builder"_a, "budget"_a,
           Released(), "Passes about ``budget`` more n-grams on; true when all have been.")
      .def(
          "emit_records",
          [](lm::Counter& self, std::size_t budget) {
            Buffer<std::uint32_t> records;
            bool done;
            {
              const nb::gil_scoped_release release;
              done = self.emit(records, budget);
            }
            return std::make_pair(done, to_numpy(std::move(records)));
          },
          "budget"_a,
          nb::sig("def emit_records(self, budget: int) -> tuple[bool, numpy.typing.NDArray[numpy.uint32]]"),
          "The same as records for ``LmRunMerger``.")
      .def("clear", &lm::Counter::clear, "Forgets the block; an unfinished sentence stays.");

  nb::class_<lm::RunMerger>(module, "LmRunMerger", "Merges sorted runs of n-gram records.")
      .def(nb::init<unsigned, std::size_t, WordId>(), "order"_a, "runs"_a, "begin"_a)
      .def(
          "feed", [](lm::RunMerger& self, std::size_t run, Ids records) { self.feed(run, view(records)); }, "run"_a,
          "records"_a, "More records of a run; none at all ends it.")
      .def(
          "advance",
          [](lm::RunMerger& self, lm::TrieBuilder& builder) -> std::optional<std::size_t> {
            std::size_t run;
            {
              const nb::gil_scoped_release release;
              run = self.advance(builder);
            }
            if (run == lm::RunMerger::kDone) return std::nullopt;
            return run;
          },
          "builder"_a, "Passes n-grams on until a run needs more records, and names it; None at the end.");
}

void bind_estimation(nb::module_& module) {
  nb::class_<MappedTrie>(module, "LmTrie", "All n-grams of a corpus, as columns per order.")
      .def(
          "__init__",
          [](MappedTrie* self, const std::vector<std::tuple<Ids, Ids, Ids>>& columns) {
            new (self) MappedTrie(make_trie(columns));
          },
          "columns"_a.noconvert())
      .def(
          "link_contexts",
          [](const MappedTrie& self, unsigned order, Ids shorter, std::size_t begin, std::size_t end,
             std::size_t threads, Filled<std::uint32_t> contexts) {
            const nb::gil_scoped_release release;
            lm::link_contexts(self, order, view(shorter), begin, end, threads, writable(contexts));
          },
          "order"_a, "shorter"_a, "begin"_a, "end"_a, "threads"_a, "contexts"_a.noconvert(),
          "Entry numbers of contexts, for the children of entries begin to end of the order below.")
      .def(
          "add_to_contexts",
          [](const MappedTrie& self, unsigned order, Ids contexts, std::size_t begin, std::size_t end,
             FilledRows<std::uint32_t> sums) {
            const std::span<lm::ContextSum> rows = sums_of(sums);
            const nb::gil_scoped_release release;
            lm::add_to_contexts(self, order, view(contexts), begin, end, rows);
          },
          "order"_a, "contexts"_a, "begin"_a, "end"_a, "sums"_a.noconvert(),
          "Add entries begin to end to the sums of their contexts.")
      .def(
          "unigram_probabilities",
          [](const MappedTrie& self, FilledRows<std::uint32_t> sums, lm::Discounts discounts, WordId begin_word,
             Filled<double> probabilities) {
            const std::span<lm::ContextSum> rows = sums_of(sums);
            if (rows.size() != 1) throw nb::value_error("unigrams have one context");
            lm::unigram_probabilities(self, rows[0], discounts, begin_word, writable(probabilities));
          },
          "sums"_a.noconvert(), "discounts"_a, "begin_word"_a, "probabilities"_a.noconvert(),
          "Probabilities of unigrams.")
      .def(
          "interpolate",
          [](const MappedTrie& self, unsigned order, Ids contexts, FilledRows<std::uint32_t> sums,
             lm::Discounts discounts, ArrayIn<double> shorter, std::size_t begin, std::size_t end,
             std::size_t threads, Filled<double> probabilities) {
            const std::span<const lm::ContextSum> rows = sums_of(sums);
            const nb::gil_scoped_release release;
            lm::interpolate(self, order, view(contexts), rows, discounts, view(shorter), begin, end, threads,
                            writable(probabilities));
          },
          "order"_a, "contexts"_a, "sums"_a.noconvert(), "discounts"_a, "shorter"_a, "begin"_a, "end"_a, "threads"_a,
          "probabilities"_a.noconvert(),
          "Probabilities of the children of entries begin to end of the order below.")
      .def(
          "arpa_lines",
          [](const MappedTrie& self, unsigned order, const Vocabulary& vocabulary, ArrayIn<float> log_probs,
             ArrayIn<float> backoffs, std::size_t begin, std::size_t end, std::size_t threads) {
            std::string lines;
            {
              const nb::gil_scoped_release release;
              lines = lm::arpa_lines(self, order, vocabulary, view(log_probs), view(backoffs), begin, end, threads);
            }
            return nb::bytes(lines.data(), lines.size());
          },
          "order"_a, "vocabulary"_a, "log_probs"_a, "backoffs"_a, "begin"_a, "end"_a, "threads"_a,
          "Lines of an ARPA file for the kept ones of entries begin to end.")
      .def(
          "compile_unigrams",
          [](const MappedTrie& self, ArrayIn<float> log_probs, ArrayIn<float> backoffs) {
            const std::size_t words = self.levels[0].counts.size();
            if (log_probs.size() != words || (backoffs.size() != 0 && backoffs.size() != words))
              throw nb::value_error("the columns of the model do not fit together");
            Buffer<lm::Weights> weights;
            weights.resize(words);
            lm::compile_unigrams(self, view(log_probs), view(backoffs), {weights.data(), weights.size()});
            return weights_to_numpy(std::move(weights));
          },
          "log_probs"_a, "backoffs"_a,
          nb::sig("def compile_unigrams(self, log_probs: numpy.typing.NDArray[numpy.float32], "
                  "backoffs: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]"),
          "Weights of all words, as a model stores them.");

  nb::class_<TableCompiler>(module, "LmTableCompiler", "Fills the table of one order.")
      .def(nb::init<const MappedTrie&, unsigned, std::size_t>(), "trie"_a, "order"_a, "entries"_a,
           nb::keep_alive<1, 2>())
      .def("add", &TableCompiler::add, "log_probs"_a, "backoffs"_a, "begin"_a, "end"_a,
           "Put the kept ones of entries begin to end into the table.")
      .def("finish", &TableCompiler::finish,
           nb::sig("def finish(self) -> numpy.typing.NDArray[numpy.uint64]"), "The table, a bucket per row.");

  module.def(
      "lm_log_backoffs",
      [](FilledRows<std::uint32_t> sums, lm::Discounts discounts, std::size_t begin, std::size_t end,
         std::size_t threads, Filled<float> backoffs) {
        const std::span<const lm::ContextSum> rows = sums_of(sums);
        const nb::gil_scoped_release release;
        lm::log_backoffs(rows, discounts, begin, end, threads, writable(backoffs));
      },
      "sums"_a.noconvert(), "discounts"_a, "begin"_a, "end"_a, "threads"_a, "backoffs"_a.noconvert(),
      "log10 of the back-off weights of contexts begin to end.");
  module.def(
      "lm_log_probabilities",
      [](ArrayIn<double> probabilities, std::size_t begin, std::size_t end, std::size_t threads,
         Filled<float> logs) {
        const nb::gil_scoped_release release;
        lm::log_probabilities(view(probabilities), begin, end, threads, writable(logs));
      },
      "probabilities"_a, "begin"_a, "end"_a, "threads"_a, "logs"_a.noconvert(),
      "log10 of probabilities begin to end.");
  module.def(
      "lm_index_words",
      [](const Vocabulary& vocabulary) {
        lm::TableBuilder<lm::WordBucket> index = lm::index_words(vocabulary);
        return buckets_to_numpy(index);
      },
      "vocabulary"_a,
      nb::sig("def lm_index_words(vocabulary: Vocabulary) -> numpy.typing.NDArray[numpy.uint64]"),
      "The table from words to their numbers, as a model stores it.");
}

void bind_reading(nb::module_& module) {
  nb::class_<lm::ArpaReader>(module, "LmArpaReader", "Reads an ARPA file into the tables of a model.")
      .def(nb::init<Vocabulary&>(), "vocabulary"_a, nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](lm::ArpaReader& self, nb::bytes bytes) {
            const std::string_view text = bytes_of(bytes);
            const nb::gil_scoped_release release;
            self.feed(text);
          },
          "bytes"_a, "The next bytes of the file, cut anywhere.")
      .def("finish", &lm::ArpaReader::finish, Released(), "After the last bytes.")
      .def_prop_ro("order", &lm::ArpaReader::order, "The order that the header gives.")
      .def_prop_ro("counts", &lm::ArpaReader::counts, "n-grams per order.")
      .def_prop_ro("links", &lm::ArpaReader::links, "n-grams put in because longer ones need them.")
      .def_prop_ro("has_unknown", &lm::ArpaReader::has_unknown, "Whether the file has an <unk>.")
      .def_prop_ro(
          "special",
          [](const lm::ArpaReader& self) -> Special {
            return {self.special().begin, self.special().end, self.special().unknown};
          },
          "Numbers of <s>, </s> and <unk>.")
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
          "Unigram weights and the tables of higher orders; they leave the reader, once, after ``finish``.");
}

void bind_queries(nb::module_& module) {
  module.def("lm_copy_table", &copy_table, "table"_a,
             nb::sig("def lm_copy_table(table: numpy.typing.NDArray[numpy.uint64]) "
                     "-> numpy.typing.NDArray[numpy.uint64]"),
             "A copy in memory of its own, in large pages if the system has them.");
  nb::class_<lm::State>(module, "LmState", "What was seen to the left, as far as the model can use it.")
      .def(
          "__init__", [](lm::State* self) { new (self) lm::State(); }, "Nothing is known of what stands there.")
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
            new (self)
                MappedModel(make_model(order, special, std::move(unigrams), std::move(tables), std::move(word_index)));
          },
          "order"_a, "special"_a, "unigrams"_a, "tables"_a, "word_index"_a,
          nb::sig("def __init__(self, order: int, special: tuple[int, int, int], "
                  "unigrams: numpy.typing.NDArray[numpy.float32], "
                  "tables: list[numpy.typing.NDArray[numpy.uint64]], "
                  "word_index: numpy.typing.NDArray[numpy.uint64]) -> None"))
      .def_prop_ro("order", &lm::Model::order, "Words in the longest n-grams.")
      .def_prop_ro("unknown", &lm::Model::unknown, "The number of the unknown word.")
      .def_prop_ro("end_of_sentence", &lm::Model::end_of_sentence, "The number of </s>.")
      .def("find", &lm::Model::find, "word"_a, "The word's number; that of the unknown word if it is not there.")
      .def("known", &lm::Model::known, "word"_a, "Whether the model holds the word with that number.")
      .def("begin_sentence", [](const MappedModel& self) { return self.begin_sentence(); },
           "The state before the first word of a sentence.")
      .def(
          "score",
          [](const MappedModel& self, const lm::State& state, WordId word) {
            lm::State next;
            const lm::WordScore score = self.score(state, word, next);
            return std::make_tuple(score.log_prob, score.matched, score.open, next);
          },
          "state"_a, "word"_a, "log10 P(word | state), words matched, whether it is open, and the state after it.")
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
           "The model's number for every word of a vocabulary.");
}

}  // namespace

void bind_lm(nb::module_& module) {
  module.attr("LM_MAX_ORDER") = lm::kMaxOrder;
  bind_counting(module);
  bind_estimation(module);
  bind_reading(module);
  bind_queries(module);
}

}  // namespace isogloss::bindings
