#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/rule_table.hpp"
#include "bindings/strings.hpp"
#include "grammar/known_forms.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;
using Rows = std::vector<std::tuple<std::string, std::string, double>>;

template <class Value>
grammar::ByText<Value> by_first(const Rows& rows) {
  grammar::ByText<Value> found;
  for (const auto& [one, other, score] : rows) found.values[one].push_back({score, other});
  return found;
}

struct BoundForms {
  nb::object words, table;
  MatrixIn<std::uint16_t> parts;
  grammar::KnownForms forms;
};

}  // namespace

void bind_known_forms(nb::module_& module) {
  nb::class_<BoundForms>(module, "KnownForms", "Finds known words that an unseen one may be made of.")
      .def(
          "__init__",
          [](BoundForms* self, nb::object words, nb::object table, const Rows& endings, const Rows& beginnings,
             std::vector<std::pair<std::string, double>> insertions, const Rows& joints, std::vector<double> lengths,
             MatrixIn<std::uint16_t> parts) {
            grammar::WordEvidence evidence{by_first<grammar::WordEvidence::Change>(endings),
                                           by_first<grammar::WordEvidence::Change>(beginnings),
                                           std::move(insertions),
                                           by_first<grammar::WordEvidence::Joint>(joints),
                                           std::move(lengths),
                                           {parts.data(), parts.size()}};
            new (self) BoundForms{words, table, parts,
                                  grammar::KnownForms(nb::cast<const text::Vocabulary&>(words),
                                                      nb::cast<const BoundTable&>(table).table, std::move(evidence))};
          },
          "words"_a, "table"_a, nb::kw_only(), "endings"_a, "beginnings"_a, "insertions"_a, "joints"_a, "lengths"_a,
          "parts"_a,
          nb::sig("def __init__(self, words: Vocabulary, table: RuleTable, *, "
                  "endings: collections.abc.Sequence[tuple[str, str, float]], "
                  "beginnings: collections.abc.Sequence[tuple[str, str, float]], "
                  "insertions: collections.abc.Sequence[tuple[str, float]], "
                  "joints: collections.abc.Sequence[tuple[str, str, float]], "
                  "lengths: collections.abc.Sequence[float], parts: numpy.typing.NDArray[numpy.uint16]) -> None"),
          "Changes are (what is replaced, what it becomes, score); joints (joining letters, what the first part loses, "
          "how often that was right).")
      .def(
          "ways",
          [](const BoundForms& self, std::string_view form, std::string_view capitals, std::string_view plain,
             double plain_score, bool further) {
            nb::list found;
            for (const grammar::WordWay& way : self.forms.ways({form, capitals, plain, plain_score}, further))
              found.append(nb::make_tuple(nb::tuple(to_list(way.words)), way.split, way.score));
            return found;
          },
          "form"_a, nb::kw_only(), "capitals"_a, "plain"_a, "plain_score"_a, "further"_a,
          nb::sig("def ways(self, form: str, *, capitals: str, plain: str, plain_score: float, further: bool) -> "
                  "list[tuple[tuple[str, ...], bool, float]]"),
          "Other forms, then parts of a word in lower case: words, whether they are parts, and a score.");
}

}  // namespace isogloss::bindings
