#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "base/parallel.hpp"
#include "bindings/arrays.hpp"
#include "bindings/rule_table.hpp"
#include "bindings/table_rows.hpp"
#include "grammar/aligned_text.hpp"
#include "grammar/lexicon.hpp"
#include "grammar/matcher.hpp"
#include "grammar/rule_text.hpp"
#include "grammar/selection.hpp"
#include "grammar/significance.hpp"
#include "grammar/table.hpp"
#include "grammar/table_writer.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

template <class T>
std::span<const T> borrow(const nb::dict& arrays, const char* name, std::vector<nb::object>& owners,
                          bool required) {
  if (!arrays.contains(name)) {
    if (required) throw grammar::TableError(std::string("no array '") + name + "'");
    return {};
  }
  nb::object array = arrays[name];
  ArrayIn<T> typed;
  if (!nb::try_cast(array, typed, false))
    throw grammar::TableError(std::string("the array '") + name + "' has another type or shape");
  owners.push_back(std::move(array));
  return view(typed);
}

BoundTable bind_table(const nb::dict& arrays, std::size_t columns, std::size_t source_words,
                      std::size_t target_words, std::uint32_t longest_probe) {
  std::vector<nb::object> owners;
  grammar::TableArrays views;
  views.nodes = borrow<std::uint32_t>(arrays, "nodes", owners, true);
  views.slots = borrow<std::uint32_t>(arrays, "slots", owners, true);
  views.rules = borrow<std::uint32_t>(arrays, "rules", owners, true);
  views.links = borrow<std::uint8_t>(arrays, "links", owners, true);
  views.phrase_ends = borrow<std::uint32_t>(arrays, "phrase_ends", owners, true);
  views.words = borrow<std::uint32_t>(arrays, "phrase_words", owners, true);
  views.scores = borrow<float>(arrays, "scores", owners, true);
  views.orientation = borrow<float>(arrays, "orientation", owners, false);
  views.counts = borrow<float>(arrays, "counts", owners, false);
  views.columns = columns;
  views.source_words = source_words;
  views.target_words = target_words;
  views.longest_probe = longest_probe;
  return {std::move(owners), grammar::RuleTable(views)};
}

/// All of a rule, for people: the search does not come this way.
nb::tuple describe_rule(const BoundTable& self, std::uint32_t number, grammar::RuleTable::Node node) {
  if (node >= self.table.node_count()) throw nb::index_error("no such node");
  const grammar::SideView side = self.table.side(node);
  if (number < side.first_rule || number >= side.last_rule)
    throw nb::index_error("no such rule of this side");
  const grammar::RuleView rule = self.table.rule(number, side);
  const auto list = [](auto values) {
    nb::list out;
    for (const auto value : values) out.append(value);
    return out;
  };
  nb::list links;
  for (std::size_t i = 0; i < rule.links.size(); i += 2)
    links.append(nb::make_tuple(rule.links[i], rule.links[i + 1]));
  return nb::make_tuple(list(rule.words), static_cast<int>(rule.shape), links,
                        list(self.table.scores(number)), list(self.table.orientation(number)),
                        list(self.table.counts(number)));
}

std::span<const WordId> sentence_at(std::span<const WordId> words, std::span<const std::int64_t> offsets,
                                    std::size_t i) {
  const std::int64_t begin = offsets[i], end = offsets[i + 1];
  if (begin < 0 || begin > end || static_cast<std::size_t>(end) > words.size())
    throw std::invalid_argument("offsets out of range");
  return words.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// Marks with 1 the rules whose source side matches in one of the sentences.
void mark_matching(const BoundTable& self, std::span<const WordId> words,
                   std::span<const std::int64_t> offsets, unsigned max_span, std::span<std::uint8_t> marks) {
  if (marks.size() != self.table.rule_count())
    throw std::invalid_argument("one mark for each rule is expected");
  grammar::SideMatcher matcher(self.table);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    matcher.match_sides(sentence_at(words, offsets, i), max_span);
    for (const grammar::SideView& side : matcher.sides())
      std::fill(marks.begin() + side.first_rule, marks.begin() + side.last_rule, std::uint8_t{1});
  }
}

/// Numbers of sides, matches and rules found for all sentences together.
std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> count_matches(const BoundTable& self,
                                                                      std::span<const WordId> words,
                                                                      std::span<const std::int64_t> offsets,
                                                                      unsigned max_span) {
  std::uint64_t sides = 0, matches = 0, rules = 0;
  grammar::SideMatcher matcher(self.table);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    matcher.match(sentence_at(words, offsets, i), max_span);
    sides += matcher.sides().size();
    matches += matcher.matches().size();
    for (const grammar::SideView& side : matcher.sides()) rules += side.last_rule - side.first_rule;
  }
  return {sides, matches, rules};
}

nb::list match(const BoundTable& self, std::span<const WordId> sentence, unsigned max_span) {
  grammar::SideMatcher matcher(self.table);
  matcher.match(sentence, max_span);
  nb::list out;
  for (const grammar::Match& found : matcher.matches()) {
    const grammar::SideView& side = matcher.sides()[found.side];
    nb::list gaps;
    for (unsigned i = 0; i < side.gaps; ++i)
      gaps.append(nb::make_tuple(found.gaps[i].begin, found.gaps[i].end));
    out.append(nb::make_tuple(side.node, found.begin, found.end, nb::tuple(gaps)));
  }
  return out;
}

/// For every rule of `other` its number in the table and the rules of its source side there, [first, last); -1 where
/// there is none. The words of `other` have other numbers, which the maps translate.
Buffer<std::int64_t> find_rules(const grammar::RuleTable& table, const grammar::RuleTable& other,
                                std::span<const WordId> source_map, std::span<const WordId> target_map) {
  Buffer<std::int64_t> found;
  std::vector<WordId> symbols, words;
  for (grammar::RuleTable::Node node = 0; node < other.node_count(); ++node) {
    if (!other.has_rules(node)) continue;
    other.symbols(node, symbols);
    grammar::RuleTable::Node here = grammar::RuleTable::kRoot;
    for (const WordId symbol : symbols) {
      if (symbol != grammar::kGap && symbol >= source_map.size()) throw nb::value_error("a word without a number");
      here = symbol == grammar::kGap ? table.gap_child(here) : table.child(here, source_map[symbol]);
      if (here == grammar::RuleTable::kNoNode) break;
    }
    const bool known = here != grammar::RuleTable::kNoNode && here != grammar::RuleTable::kRoot;
    const grammar::SideView side = other.side(node), there = known ? table.side(here) : grammar::SideView{};
    for (std::uint32_t number = side.first_rule; number < side.last_rule; ++number) {
      const grammar::RuleView rule = other.rule(number, side);
      words.clear();
      for (const WordId word : rule.words) {
        if (word >= target_map.size()) throw nb::value_error("a word without a number");
        words.push_back(target_map[word]);
      }
      std::int64_t same = -1;
      for (std::uint32_t i = there.first_rule; known && same < 0 && i < there.last_rule; ++i) {
        const grammar::RuleView candidate = table.rule(i, there);
        if (candidate.shape == rule.shape && std::ranges::equal(candidate.words, words)) same = i;
      }
      found.push_back(same);
      found.push_back(known ? there.first_rule : -1);
      found.push_back(known ? there.last_rule : -1);
    }
  }
  return found;
}

using WordsAndOffsets = std::pair<ArrayOut<WordId>, ArrayOut<std::int64_t>>;

WordsAndOffsets encode_text(const text::Vocabulary& vocabulary, const nb::bytes& text) {
  Buffer<WordId> ids;
  Buffer<std::int64_t> offsets;
  offsets.push_back(0);
  std::string_view rest(text.c_str(), text.size());
  for (bool more = true; more;) {
    const std::size_t end = rest.find('\n');
    more = end != rest.npos;
    grammar::for_each_word(rest.substr(0, end), [&](std::string_view word) { ids.push_back(vocabulary.find(word)); });
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
    if (more) rest.remove_prefix(end + 1);
  }
  return {to_numpy(std::move(ids)), to_numpy(std::move(offsets))};
}

void bind_table_class(nb::module_& module) {
  nb::class_<BoundTable>(module, "RuleTable", "A stored rule table, read in place from its arrays.")
      .def(
          "__init__",
          [](BoundTable* self, const nb::dict& arrays, std::size_t columns, std::size_t source_words,
             std::size_t target_words, std::uint32_t longest_probe) {
            new (self) BoundTable(bind_table(arrays, columns, source_words, target_words, longest_probe));
          },
          "arrays"_a, nb::kw_only(), "columns"_a, "source_words"_a, "target_words"_a, "longest_probe"_a,
          nb::sig("def __init__(self, arrays: dict[str, numpy.typing.NDArray[typing.Any]], *, columns: int, "
                  "source_words: int, target_words: int, longest_probe: int) -> None"))
      .def_prop_ro("node_count", [](const BoundTable& self) { return self.table.node_count(); })
      .def_prop_ro("rule_count", [](const BoundTable& self) { return self.table.rule_count(); })
      .def_prop_ro("phrase_count", [](const BoundTable& self) { return self.table.phrase_count(); })
      .def(
          "find",
          [](const BoundTable& self, const std::vector<WordId>& symbols) {
            grammar::RuleTable::Node node = grammar::RuleTable::kRoot;
            for (const WordId symbol : symbols) {
              node = symbol == grammar::kGap ? self.table.gap_child(node) : self.table.child(node, symbol);
              if (node == grammar::RuleTable::kNoNode) break;
            }
            return node;
          },
          "symbols"_a, "The node of a source side or of a prefix of one; 0 if there is none.")
      .def(
          "rules",
          [](const BoundTable& self, grammar::RuleTable::Node node) {
            if (node >= self.table.node_count()) throw nb::index_error("no such node");
            const grammar::SideView side = self.table.side(node);
            return std::make_pair(side.first_rule, side.last_rule);
          },
          "node"_a, "First rule of a source side, and the end of its rules.")
      .def(
          "symbols",
          [](const BoundTable& self, grammar::RuleTable::Node node) {
            if (node >= self.table.node_count()) throw nb::index_error("no such node");
            std::vector<WordId> symbols;
            self.table.symbols(node, symbols);
            return symbols;
          },
          "node"_a, "Words and gaps on the way to a node.")
      .def("rule", &describe_rule, "number"_a, "node"_a,
           nb::sig("def rule(self, number: int, node: int) -> tuple[list[int], int, list[tuple[int, int]], "
                   "list[float], list[float], list[float]]"),
           "Target words, shape, links (source symbol, target word), scores, orientation, counts.")
      .def(
          "match",
          [](const BoundTable& self, ArrayIn<WordId> sentence, unsigned max_span) {
            return match(self, view(sentence), max_span);
          },
          "sentence"_a, nb::kw_only(), "max_span"_a,
          nb::sig("def match(self, sentence: numpy.typing.NDArray[numpy.uint32], *, max_span: int) -> "
                  "list[tuple[int, int, int, tuple[tuple[int, int], ...]]]"),
          "All matches: node, begin, end, spans of the non-terminals.")
      .def(
          "find_rules",
          [](const BoundTable& self, const BoundTable& other, ArrayIn<WordId> source_map, ArrayIn<WordId> target_map) {
            Buffer<std::int64_t> found;
            {
              const nb::gil_scoped_release unlocked;
              found = find_rules(self.table, other.table, view(source_map), view(target_map));
            }
            const std::size_t rows = found.size() / 3;
            return to_numpy(std::move(found), {rows, 3});
          },
          "other"_a, "source_map"_a, "target_map"_a,
          "For every rule of another table, whose words the maps translate: its number here, the first rule of its "
          "source side here and the one behind the last; -1 where there is none.")
      .def(
          "count_matches",
          [](const BoundTable& self, ArrayIn<WordId> words, ArrayIn<std::int64_t> offsets,
             unsigned max_span) {
            const nb::gil_scoped_release unlocked;
            return count_matches(self, view(words), view(offsets), max_span);
          },
          "words"_a, "offsets"_a, nb::kw_only(), "max_span"_a,
          "Numbers of source sides, matches and rules found over all sentences.")
      .def(
          "mark_matching",
          [](const BoundTable& self, ArrayIn<WordId> words, ArrayIn<std::int64_t> offsets, unsigned max_span,
             nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> marks) {
            const nb::gil_scoped_release unlocked;
            mark_matching(self, view(words), view(offsets), max_span, {marks.data(), marks.size()});
          },
          "words"_a, "offsets"_a, nb::kw_only(), "max_span"_a, "marks"_a,
          "Mark the rules whose source side matches one of the sentences.")
      .def(
          "print",
          [](const BoundTable& self, const text::Vocabulary& source_words, const text::Vocabulary& target_words,
             grammar::RuleFormat format, const std::vector<std::pair<std::uint32_t, std::string>>& columns,
             grammar::RuleTable::Node begin, grammar::RuleTable::Node end) {
            std::vector<grammar::PrintedColumn> printed;
            for (const auto& [column, name] : columns) printed.push_back({column, name});
            std::string text;
            {
              const nb::gil_scoped_release unlocked;
              grammar::print_rules(self.table, source_words, target_words, format, printed, begin, end, text);
            }
            return nb::bytes(text.data(), text.size());
          },
          "source_words"_a, "target_words"_a, nb::kw_only(), "format"_a, "columns"_a, "begin"_a, "end"_a,
          "The rules of the nodes in [begin, end) as lines of text.");
}

void bind_rule_selection(nb::module_& module) {
  struct BoundSelection {
    nb::object table;
    ArrayIn<std::uint8_t> keep;
    grammar::TableSelection selection;
    std::size_t columns;
  };
  nb::class_<BoundSelection>(module, "TableSelection", "Copies the marked rules into a new table.")
      .def(
          "__init__",
          [](BoundSelection* self, nb::object table, ArrayIn<std::uint8_t> keep) {
            const grammar::RuleTable& from = nb::cast<const BoundTable&>(table).table;
            new (self) BoundSelection{table, keep, grammar::TableSelection(from, view(keep)), from.columns()};
          },
          "table"_a, "keep"_a,
          nb::sig("def __init__(self, table: RuleTable, keep: numpy.typing.NDArray[numpy.uint8]) -> None"))
      .def(
          "write", [](BoundSelection& self, std::size_t limit) { return self.selection.write(limit); },
          "limit"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Visit more nodes; True while there are more.")
      .def(
          "take_rows",
          [](BoundSelection& self) { return rows_to_dict(self.selection.take_rows(), self.columns); },
          nb::sig("def take_rows(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "Rows of the table's arrays written since the last call.")
      .def(
          "phrases", [](BoundSelection& self) { return phrases_to_numpy(self.selection.phrases()); },
          nb::sig("def phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32]]"),
          "Words of the target phrases still in use, and where each ends.")
      .def_prop_ro("rules", [](const BoundSelection& self) { return self.selection.rules(); })
      .def_prop_ro("sides", [](const BoundSelection& self) { return self.selection.sides(); });
}

void bind_significance(nb::module_& module) {
  struct BoundCounts {
    nb::object table;
    std::unique_ptr<grammar::CoOccurrence> counts;
  };
  module.def(
      "fisher_significance",
      [](std::uint64_t both, std::uint64_t a, std::uint64_t b, std::uint64_t n) {
        if (a > n || b > n || both > std::min(a, b) || n > 100'000'000)
          throw nb::value_error("counts that cannot be");
        return grammar::fisher_significance(both, a, b, n, grammar::log_factorials(n));
      },
      "both"_a, "a"_a, "b"_a, "n"_a, "-log p of Fisher's exact test, one-sided.");
  nb::class_<BoundCounts>(module, "CoOccurrence", "In how many sentence pairs both sides of a rule occur.")
      .def(
          "__init__",
          [](BoundCounts* self, nb::object table, unsigned max_span, unsigned max_sentence_length,
             unsigned threads) {
            const auto& bound = nb::cast<const BoundTable&>(table);
            new (self) BoundCounts{
                table, std::make_unique<grammar::CoOccurrence>(bound.table, max_span, max_sentence_length, threads)};
          },
          "table"_a, nb::kw_only(), "max_span"_a, "max_sentence_length"_a, "threads"_a,
          nb::sig("def __init__(self, table: RuleTable, *, max_span: int, max_sentence_length: int, threads: "
                  "int) -> None"))
      .def(
          "add",
          [](BoundCounts& self, ArrayIn<WordId> source, ArrayIn<std::int64_t> source_offsets,
             ArrayIn<WordId> target, ArrayIn<std::int64_t> target_offsets) {
            const nb::gil_scoped_release unlocked;
            self.counts->add(view(source), view(source_offsets), view(target), view(target_offsets));
          },
          "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a, "Count sentence pairs.")
      .def(
          "significance",
          [](const BoundCounts& self) {
            Buffer<double> values;
            {
              const nb::gil_scoped_release unlocked;
              const std::vector<double> found = self.counts->significance();
              values.append(found.data(), found.size());
            }
            return to_numpy(std::move(values));
          },
          nb::sig("def significance(self) -> numpy.typing.NDArray[numpy.float64]"), "-log p for every rule.")
      .def_prop_ro("pairs", [](const BoundCounts& self) { return self.counts->pairs(); });
}

void bind_lexicon(nb::module_& module) {
  nb::class_<BoundLexicon>(module, "LexiconView", "A stored lexicon, read in place from its arrays.")
      .def(
          "__init__",
          [](BoundLexicon* self, ArrayIn<std::uint64_t> offsets, ArrayIn<WordId> targets,
             ArrayIn<float> probabilities) {
            new (self) BoundLexicon{offsets, targets, probabilities,
                                    grammar::LexiconView(view(offsets), view(targets), view(probabilities))};
          },
          "offsets"_a, "targets"_a, "probabilities"_a)
      .def(
          "find",
          [](const BoundLexicon& self, WordId source, WordId target) {
            const grammar::Lexicon::Probabilities found = self.lexicon.find(source, target);
            return std::make_pair(found.target_given_source, found.source_given_target);
          },
          "source"_a, "target"_a, "Probabilities of the target given the source word, and the other way.");
}

}  // namespace

void bind_rule_table(nb::module_& module) {
  module.attr("GAP") = grammar::kGap;
  nb::enum_<grammar::RuleFormat>(module, "RuleFormat", "The text format of rules.")
      .value("moses", grammar::RuleFormat::moses)
      .value("moses_orientation", grammar::RuleFormat::moses_orientation)
      .value("hiero", grammar::RuleFormat::hiero);
  module.def("encode_text", &encode_text, "vocabulary"_a, "text"_a,
             nb::sig("def encode_text(vocabulary: Vocabulary, text: bytes) -> "
                     "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]"),
             "Word numbers of lines of text, NO_WORD for new words, and the offset of each line.");
  module.def(
      "build_slots",
      [](ArrayIn<std::uint32_t> nodes) {
        grammar::Slots slots;
        {
          const nb::gil_scoped_release unlocked;
          slots = grammar::build_slots(view(nodes));
        }
        return std::make_pair(to_numpy(std::move(slots.table)), slots.longest_probe);
      },
      "nodes"_a,
      nb::sig("def build_slots(nodes: numpy.typing.NDArray[numpy.uint32]) -> "
              "tuple[numpy.typing.NDArray[numpy.uint32], int]"),
      "The hash table from (node, symbol) to child, and its longest probe.");
  bind_table_class(module);
  bind_rule_selection(module);
  bind_significance(module);
  bind_lexicon(module);
}

}  // namespace isogloss::bindings
