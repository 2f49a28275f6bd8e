// Counting and estimating; asking is in lm.cpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/lm_arrays.hpp"
#include "lm/arpa_writer.hpp"
#include "lm/compile.hpp"
#include "lm/counter.hpp"
#include "lm/kneser_ney.hpp"
#include "lm/merge.hpp"
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

lm::SpecialWords special_words(const Special& words) {
  return {std::get<0>(words), std::get<1>(words), std::get<2>(words)};
}

template <class T>
std::span<T> writable(const Filled<T>& array) {
  return {array.data(), array.size()};
}

/// Sums are rows of five numbers.
std::span<lm::ContextSum> sums_of(const FilledRows<std::uint32_t>& array) {
  if (array.shape(1) != 5) throw nb::value_error("sums have five columns");
  return {reinterpret_cast<lm::ContextSum*>(array.data()), array.shape(0)};
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
    if (words.size() != (level == 0 ? 0 : counts.size()) ||
        children.size() != (highest ? 0 : counts.size() + 1))
      throw nb::value_error("the columns of the trie do not match");
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

  void add(const ArrayIn<float>& log_probs, const ArrayIn<float>& backoffs, std::size_t begin,
           std::size_t end) {
    const bool highest = order_ == trie_.order();
    const std::size_t size = trie_.levels[order_ - 1].counts.size();
    if (end > size || log_probs.size() != size || backoffs.size() != (highest ? 0 : size))
      throw nb::value_error("the columns of the model do not match");
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

void bind_counting(nb::module_& module) {
  nb::class_<lm::TrieBuilder>(module, "LmTrieBuilder",
                              "Turns sorted n-grams into all orders with adjusted counts.")
      .def(
          "__init__",
          [](lm::TrieBuilder* self, unsigned order, std::vector<std::uint64_t> thresholds, Special special) {
            if (order < 1 || order > lm::kMaxOrder)
              throw nb::value_error("the order must be between 1 and 7");
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
          "Complete first words, counts and offsets of children; moved out of the builder.");

  nb::class_<lm::Counter>(module, "LmCounter", "Reads text and sorts its n-grams, a block at a time.")
      .def(
          "__init__",
          [](lm::Counter* self, text::Vocabulary& vocabulary, unsigned order, Special special,
             bool special_as_unknown) {
            if (order < 1 || order > lm::kMaxOrder)
              throw nb::value_error("the order must be between 1 and 7");
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
          "bytes"_a, "Add the next bytes of a file, split anywhere; every line is a sentence.")
      .def("end_file", &lm::Counter::end_file, "Ends the last line; line numbers restart at 1.")
      .def_prop_ro("sentences", &lm::Counter::sentences, "Sentences of all text so far.")
      .def_prop_ro("words", &lm::Counter::words, "Words of all text so far.")
      .def_prop_ro("tokens", &lm::Counter::tokens, "Tokens of the block: words and both ends of sentences.")
      .def("begin_sort", &lm::Counter::begin_sort, Released(), "Starts sorting the block.")
      .def("sort_some", &lm::Counter::sort_some, "budget"_a, "threads"_a, Released(),
           "Sorts about ``budget`` more tokens; true when all are sorted.")
      .def("emit", nb::overload_cast<lm::TrieBuilder&, std::size_t>(&lm::Counter::emit), "builder"_a,
           "budget"_a, Released(), "Passes on about ``budget`` more n-grams; True at the end.")
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
          "feed", [](lm::RunMerger& self, std::size_t run, Ids records) { self.feed(run, view(records)); },
          "run"_a, "records"_a, "More records of a run; none at all ends it.")
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
          "builder"_a, "Passes on n-grams until a run needs more records and returns the run; None at the end.");
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
          [](const MappedTrie& self, FilledRows<std::uint32_t> sums, lm::Discounts discounts,
             WordId begin_word, Filled<double> probabilities) {
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
          "order"_a, "contexts"_a, "sums"_a.noconvert(), "discounts"_a, "shorter"_a, "begin"_a, "end"_a,
          "threads"_a, "probabilities"_a.noconvert(),
          "Probabilities of the children of entries begin to end of the order below.")
      .def(
          "arpa_lines",
          [](const MappedTrie& self, unsigned order, const text::Vocabulary& vocabulary, ArrayIn<float> log_probs,
             ArrayIn<float> backoffs, std::size_t begin, std::size_t end, std::size_t threads) {
            std::string lines;
            {
              const nb::gil_scoped_release release;
              lines = lm::arpa_lines(self, order, vocabulary, view(log_probs), view(backoffs), begin, end,
                                     threads);
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
              throw nb::value_error("the columns of the model do not match");
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
           "Add the kept entries from begin to end to the table.")
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
      [](const text::Vocabulary& vocabulary) {
        lm::TableBuilder<lm::WordBucket> index = lm::index_words(vocabulary);
        return buckets_to_numpy(index);
      },
      "vocabulary"_a,
      nb::sig("def lm_index_words(vocabulary: Vocabulary) -> numpy.typing.NDArray[numpy.uint64]"),
      "The table from words to their numbers, as a model stores it.");
}

}  // namespace

void bind_lm_build(nb::module_& module) {
  bind_counting(module);
  bind_estimation(module);
}

}  // namespace isogloss::bindings
