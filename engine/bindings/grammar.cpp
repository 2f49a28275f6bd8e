#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/table_rows.hpp"
#include "grammar/import.hpp"
#include "grammar/scorer.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

std::string_view bytes_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

/// Counter and scorer behind one another: how extraction looks from Python.
class RuleExtraction {
 public:
  RuleExtraction(const grammar::ExtractOptions& options, const grammar::ScoreOptions& scoring, std::string scratch,
                 std::size_t memory, unsigned threads)
      : scratch_(std::move(scratch)),
        memory_(memory),
        scoring_(scoring),
        counter_(options, scratch_, memory, threads) {}

  void add(std::string_view sources, std::string_view targets, std::string_view links, std::uint64_t line) {
    counting().add(sources, targets, links, line);
  }

  grammar::RuleScorer& scorer() {
    if (!scorer_) scorer_.emplace(counter_, scratch_, memory_, scoring_);
    return *scorer_;
  }

  grammar::RuleCounter& counter() { return counter_; }

  /// The counter, as long as nothing is merged.
  grammar::RuleCounter& counting() {
    if (scorer_) throw std::logic_error("the rules are being merged already");
    return counter_;
  }

 private:
  grammar::ScratchSpace scratch_;
  std::size_t memory_;
  grammar::ScoreOptions scoring_;
  grammar::RuleCounter counter_;
  std::optional<grammar::RuleScorer> scorer_;
};

void bind_scratch_error() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const grammar::ScratchError& error) {
      PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code, error.what(), error.path).ptr());
    }
  });
}

void bind_extraction(nb::module_& module) {
  nb::enum_<grammar::OrientationModel>(module, "OrientationModel", "What counts as a neighbor of a block.")
      .value("none", grammar::OrientationModel::none)
      .value("word", grammar::OrientationModel::word)
      .value("phrase", grammar::OrientationModel::phrase)
      .value("hier", grammar::OrientationModel::hier);
  nb::enum_<grammar::Smoothing>(module, "Smoothing", "The smoothing of rule counts.")
      .value("none", grammar::Smoothing::none)
      .value("kneser_ney", grammar::Smoothing::kneser_ney)
      .value("good_turing", grammar::Smoothing::good_turing);
  nb::class_<RuleExtraction>(
      module, "RuleExtraction",
      "From aligned sentence pairs to the rows of a rule table: ``add`` all pairs, then "
      "``merge``, ``resolve`` and ``write`` until each returns False.")
      .def(
          "__init__",
          [](RuleExtraction* self, std::string scratch, std::size_t memory, unsigned threads,
             unsigned max_length, unsigned max_gaps, unsigned max_symbols, unsigned max_target_words,
             unsigned min_gap, bool tight, bool adjacent_gaps, bool fractional, unsigned max_sentence_length,
             grammar::OrientationModel orientation, double orientation_smoothing, grammar::Smoothing smoothing,
             unsigned max_plain) {
            grammar::ExtractOptions options;
            options.limits = {max_length, max_gaps, max_symbols,  max_target_words,
                              min_gap,    tight,    adjacent_gaps, max_plain};
            options.fractional = fractional;
            options.orientation = orientation;
            options.max_sentence_length = max_sentence_length;
            const grammar::ScoreOptions scoring{smoothing, orientation != grammar::OrientationModel::none,
                                                orientation_smoothing};
            new (self) RuleExtraction(options, scoring, std::move(scratch), memory, std::max(threads, 1u));
          },
          "scratch"_a, nb::kw_only(), "memory"_a, "threads"_a, "max_length"_a, "max_gaps"_a, "max_symbols"_a,
          "max_target_words"_a, "min_gap"_a, "tight"_a, "adjacent_gaps"_a, "fractional"_a,
          "max_sentence_length"_a, "orientation"_a, "orientation_smoothing"_a, "smoothing"_a, "max_plain"_a = 0)
      .def(
          "add",
          [](RuleExtraction& self, const nb::bytes& sources, const nb::bytes& targets, const nb::bytes& links,
             std::uint64_t line) {
            const nb::gil_scoped_release unlocked;
            self.add(bytes_view(sources), bytes_view(targets), bytes_view(links), line);
          },
          "sources"_a, "targets"_a, "links"_a, nb::kw_only(), "line"_a,
          "Add the same number of lines of each file, joined by line feeds; ``line`` is the number of the first.")
      .def(
          "write_run", [](RuleExtraction& self, const std::string& path) { self.counting().write_run(path); },
          "path"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Write all rules as one sorted run, for ``add_run`` of another extraction with the same words. "
          "Nothing may be added afterward.")
      .def(
          "add_run",
          [](RuleExtraction& self, const std::string& path, std::uint64_t pairs, std::uint64_t skipped,
             std::uint64_t occurrences) {
            self.counting().add_run(path);
            self.counting().add_totals(pairs, skipped, occurrences);
          },
          "path"_a, nb::kw_only(), "pairs"_a, "skipped"_a, "occurrences"_a,
          "Add a run that another extraction wrote, and its statistics.")
      .def(
          "link_counts",
          [](RuleExtraction& self) {
            grammar::Lexicon::Counts counts = self.counting().lexicon().counts();
            return nb::make_tuple(to_numpy(std::move(counts.sources)), to_numpy(std::move(counts.targets)),
                                  to_numpy(std::move(counts.counts)));
          },
          nb::sig("def link_counts(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint64]]"),
          "Source words, target words and how often they are linked.")
      .def(
          "add_link_counts",
          [](RuleExtraction& self, const ArrayIn<WordId>& sources, const ArrayIn<WordId>& targets,
             const ArrayIn<std::uint64_t>& counts) {
            if (sources.size() != targets.size() || sources.size() != counts.size())
              throw std::invalid_argument("the columns do not match");
            grammar::Lexicon& lexicon = self.counting().lexicon();
            for (std::size_t i = 0; i < sources.size(); ++i)
              lexicon.add(sources.data()[i], targets.data()[i], counts.data()[i]);
          },
          "sources"_a, "targets"_a, "counts"_a, "Add the ``link_counts`` of another extraction.")
      .def(
          "merge", [](RuleExtraction& self, std::size_t limit) { return self.scorer().merge(limit); },
          "limit"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Merge equal rules; True while there are more.")
      .def(
          "resolve", [](RuleExtraction& self, std::size_t limit) { return self.scorer().resolve(limit); },
          "limit"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Group rules by target side; True while there are more.")
      .def(
          "write", [](RuleExtraction& self, std::size_t limit) { return self.scorer().write(limit); },
          "limit"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Compute the columns; True while there are more.")
      .def(
          "take_phrases", [](RuleExtraction& self) { return phrases_to_numpy(self.scorer().take_phrases()); },
          nb::sig("def take_phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          "Words of the target phrases found since the last call, and where each ends.")
      .def(
          "take_rows",
          [](RuleExtraction& self) { return rows_to_dict(self.scorer().take_rows(), grammar::RuleScorer::kColumns); },
          nb::sig("def take_rows(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "Rows of the table's arrays written since the last call.")
      .def(
          "lexicon",
          [](RuleExtraction& self) {
            grammar::Lexicon::Columns columns = self.counter().lexicon().columns(self.counter().source_words().size());
            const std::size_t entries = columns.targets.size();
            return nb::make_tuple(to_numpy(std::move(columns.offsets)), to_numpy(std::move(columns.targets)),
                                  to_numpy(std::move(columns.probabilities), {entries, 2}));
          },
          nb::sig("def lexicon(self) -> tuple[numpy.typing.NDArray[numpy.uint64], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]"),
          "Offsets by source word, target words, probabilities both ways.")
      .def_prop_ro(
          "source_words", [](RuleExtraction& self) -> text::Vocabulary& { return self.counter().source_words(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "target_words", [](RuleExtraction& self) -> text::Vocabulary& { return self.counter().target_words(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro("pairs", [](RuleExtraction& self) { return self.counter().pairs(); })
      .def_prop_ro("skipped", [](RuleExtraction& self) { return self.counter().skipped(); })
      .def_prop_ro("occurrences", [](RuleExtraction& self) { return self.counter().occurrences(); })
      .def_prop_ro("rules", [](RuleExtraction& self) { return self.scorer().rules(); })
      .def_prop_ro("sides", [](RuleExtraction& self) { return self.scorer().sides(); })
      .def_prop_ro("phrases", [](RuleExtraction& self) { return self.scorer().phrases(); })
      .def_prop_ro("discounts", [](RuleExtraction& self) { return self.scorer().discounts().kneser_ney(); });
}

/// An import with the scratch space it works in.
struct BoundImport {
  grammar::ScratchSpace scratch;
  grammar::RuleImport rules;
  BoundImport(std::string folder, std::size_t memory) : scratch(std::move(folder)), rules(scratch, memory) {}
};

void bind_import(nb::module_& module) {
  nb::class_<BoundImport>(
      module, "RuleImport",
      "From rules as text to the rows of a rule table: ``add`` all lines, then ``merge``, "
      "``resolve`` and ``write`` until each returns False.")
      .def(nb::init<std::string, std::size_t>(), "scratch"_a, nb::kw_only(), "memory"_a)
      .def(
          "add",
          [](BoundImport& self, const nb::bytes& lines, std::uint64_t line, grammar::RuleFormat format) {
            const nb::gil_scoped_release unlocked;
            self.rules.add(bytes_view(lines), line, format);
          },
          "lines"_a, nb::kw_only(), "line"_a, "format"_a,
          "Add lines joined by line feeds; ``line`` is the number of the first.")
      .def(
          "merge", [](BoundImport& self, std::size_t limit) { return self.rules.merge(limit); }, "limit"_a,
          nb::call_guard<nb::gil_scoped_release>(), "Sort the rules; True while there are more.")
      .def(
          "resolve", [](BoundImport& self, std::size_t limit) { return self.rules.resolve(limit); },
          "limit"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Group rules by target side; True while there are more.")
      .def(
          "write",
          [](BoundImport& self, std::size_t limit, std::size_t best_column) {
            return self.rules.write(limit, best_column);
          },
          "limit"_a, "best_column"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Write the rules; True while there are more.")
      .def(
          "take_phrases", [](BoundImport& self) { return phrases_to_numpy(self.rules.take_phrases()); },
          nb::sig("def take_phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          "Words of the target phrases found since the last call, and where each ends.")
      .def(
          "take_rows",
          [](BoundImport& self) { return rows_to_dict(self.rules.take_rows(), self.rules.columns().size()); },
          nb::sig("def take_rows(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "Rows of the table's arrays written since the last call.")
      .def_prop_ro(
          "source_words", [](BoundImport& self) -> text::Vocabulary& { return self.rules.source_words(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "target_words", [](BoundImport& self) -> text::Vocabulary& { return self.rules.target_words(); },
          nb::rv_policy::reference_internal)
      .def_prop_ro("columns", [](const BoundImport& self) { return self.rules.columns(); })
      .def_prop_ro("rules", [](const BoundImport& self) { return self.rules.rules(); })
      .def_prop_ro("sides", [](const BoundImport& self) { return self.rules.sides(); })
      .def_prop_ro("left_out", [](const BoundImport& self) { return self.rules.left_out(); })
      .def_prop_ro("without_orientation",
                   [](const BoundImport& self) { return self.rules.without_orientation(); })
      .def_prop_ro("has_orientation", [](const BoundImport& self) { return self.rules.has_orientation(); })
      .def_prop_ro("has_counts", [](const BoundImport& self) { return self.rules.has_counts(); })
      .def_prop_ro("in_orientation", [](const BoundImport& self) { return self.rules.in_orientation(); });
}

}  // namespace

void bind_rule_table(nb::module_& module);

void bind_grammar(nb::module_& module) {
  bind_scratch_error();
  bind_rule_table(module);
  bind_extraction(module);
  bind_import(module);
}

}  // namespace isogloss::bindings
