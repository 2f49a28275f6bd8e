#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/strings.hpp"
#include "text/case_table.hpp"
#include "text/lines.hpp"
#include "text/moses_tokenizer.hpp"
#include "text/unicode.hpp"
#include "text/word_tokenizer.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

/// A table with the arrays that it looks into.
class MappedCaseTable {
 public:
  MappedCaseTable(ArrayIn<std::uint32_t> slots, ArrayIn<std::uint8_t> word_bytes, ArrayIn<std::uint64_t> word_ends,
                  ArrayIn<std::uint32_t> word_forms, ArrayIn<std::uint8_t> form_bytes,
                  ArrayIn<std::uint64_t> form_ends, ArrayIn<std::uint64_t> counts, bool dotted)
      : slots_(slots), word_bytes_(word_bytes), word_ends_(word_ends), word_forms_(word_forms),
        form_bytes_(form_bytes), form_ends_(form_ends), counts_(counts),
        table_({view(slots), text_of(word_bytes), text_of(form_bytes), view(word_ends), view(form_ends),
                view(word_forms), view(counts)},
               dotted) {}

  const text::CaseTable& table() const { return table_; }

 private:
  static std::string_view text_of(const ArrayIn<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  ArrayIn<std::uint32_t> slots_;
  ArrayIn<std::uint8_t> word_bytes_;
  ArrayIn<std::uint64_t> word_ends_;
  ArrayIn<std::uint32_t> word_forms_;
  ArrayIn<std::uint8_t> form_bytes_;
  ArrayIn<std::uint64_t> form_ends_, counts_;
  text::CaseTable table_;
};

ArrayOut<std::uint8_t> bytes_out(const Buffer<char>& text) {
  Buffer<std::uint8_t> bytes;
  bytes.append(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return to_numpy(std::move(bytes));
}

nb::dict case_arrays(const text::CaseCounter& counter, bool dotted) {
  text::CaseArrays arrays = counter.arrays(dotted);
  nb::dict out;
  out["slots"] = to_numpy(std::move(arrays.slots));
  out["word_bytes"] = bytes_out(arrays.word_bytes);
  out["word_ends"] = to_numpy(std::move(arrays.word_ends));
  out["word_forms"] = to_numpy(std::move(arrays.word_forms));
  out["form_bytes"] = bytes_out(arrays.form_bytes);
  out["form_ends"] = to_numpy(std::move(arrays.form_ends));
  out["counts"] = to_numpy(std::move(arrays.counts));
  return out;
}

using ChangeLine = void (text::CaseTable::*)(std::string_view, std::string&) const;

nb::list cased_lines(const MappedCaseTable& self, nb::list lines, std::size_t threads, ChangeLine change) {
  const Utf8Lines given(lines);
  std::vector<std::string> changed;
  {
    const nb::gil_scoped_release unlocked;
    changed = text::changed_lines(given.views(), threads, [&](std::string_view line, std::string& out) {
      (self.table().*change)(line, out);
    });
  }
  return to_list(changed);
}

nb::list rows(const MappedCaseTable& self) {
  const text::CaseTable& table = self.table();
  nb::list out;
  for (std::size_t word = 0; word < table.words(); ++word)
    for (std::size_t form = table.first_form(word); form < table.forms_end(word); ++form)
      out.append(nb::make_tuple(to_str(table.word(word)), to_str(table.form(form)), table.count(form)));
  return out;
}

std::unique_ptr<text::Tokenizer> word_tokenizer(std::string_view cut) {
  using Cut = text::WordTokenizer::Cut;
  if (cut != "never" && cut != "before" && cut != "after") throw nb::value_error("never, before or after expected");
  return std::make_unique<text::WordTokenizer>(cut == "before"  ? Cut::kBefore
                                               : cut == "after" ? Cut::kAfter
                                                                : Cut::kNever);
}

std::unique_ptr<text::Tokenizer> moses_tokenizer(nb::str alphanumeric, nb::str alphabetic, nb::str numeric,
                                                 nb::str lowercase, nb::list prefixes, nb::list numeric_prefixes,
                                                 std::string_view apostrophe, bool hyphens) {
  using Apostrophe = text::MosesRules::Apostrophe;
  const Utf8 sets[] = {Utf8(alphanumeric), Utf8(alphabetic), Utf8(numeric), Utf8(lowercase)};
  const Utf8Lines words(prefixes), before_numbers(numeric_prefixes);
  text::MosesRules rules;
  rules.alphanumeric = sets[0].view();
  rules.alphabetic = sets[1].view();
  rules.numeric = sets[2].view();
  rules.lowercase = sets[3].view();
  rules.prefixes = words.views();
  rules.numeric_prefixes = before_numbers.views();
  rules.apostrophe = apostrophe == "en"   ? Apostrophe::kEnglish
                     : apostrophe == "fr" ? Apostrophe::kFrench
                                          : Apostrophe::kOther;
  rules.hyphens = hyphens;
  return std::make_unique<text::MosesTokenizer>(rules);
}

void bind_tokenizer(nb::module_& module) {
  nb::class_<text::Tokenizer>(module, "Tokenizer", "Splits text into tokens.")
      .def_static("words", &word_tokenizer, "cut"_a,
                  "Words and punctuation of any language. Words are split ``before``, ``after`` or ``never`` at "
                  "an apostrophe.")
      .def_static("moses", &moses_tokenizer, nb::kw_only(), "alphanumeric"_a, "alphabetic"_a, "numeric"_a,
                  "lowercase"_a, "prefixes"_a, "numeric_prefixes"_a, "apostrophe"_a, "hyphens"_a = false,
                  nb::sig("def moses(*, alphanumeric: str, alphabetic: str, numeric: str, lowercase: str, "
                          "prefixes: list[str], numeric_prefixes: list[str], apostrophe: str, hyphens: bool = "
                          "False) -> Tokenizer"),
                  "The rules of the Moses scripts, with their sets of characters and their abbreviations.")
      .def(
          "tokenize",
          [](const text::Tokenizer& self, nb::str line) {
            std::string out;
            self.tokenize(Utf8(line).view(), out);
            return to_words(out);
          },
          "text"_a, nb::sig("def tokenize(self, text: str) -> list[str]"), "The tokens of a text.")
      .def(
          "tokenize_lines",
          [](const text::Tokenizer& self, nb::list lines, std::size_t threads) {
            const Utf8Lines given(lines);
            std::vector<std::string> tokens;
            {
              const nb::gil_scoped_release unlocked;
              tokens = text::tokenize_lines(self, given.views(), threads);
            }
            return to_list(tokens);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 1,
          nb::sig("def tokenize_lines(self, lines: list[str], *, threads: int = 1) -> list[str]"),
          "The tokens of every line, with a space between them.");
}

void bind_case(nb::module_& module) {
  nb::class_<text::CaseCounter>(module, "CaseCounter", "Counts the forms of words in tokenized text.")
      .def(nb::init<>())
      .def(
          "add_lines",
          [](text::CaseCounter& self, nb::list lines) {
            const Utf8Lines given(lines);
            const nb::gil_scoped_release unlocked;
            for (std::string_view line : given.views()) self.add_line(line);
          },
          "lines"_a, nb::sig("def add_lines(self, lines: list[str]) -> None"),
          "Count the words of lines that have a space between words.")
      .def(
          "add",
          [](text::CaseCounter& self, nb::str form, std::uint64_t count) { self.add(Utf8(form).view(), count); },
          "form"_a, "count"_a, "Count a form this often.")
      .def("arrays", &case_arrays, "dotted"_a,
           nb::sig("def arrays(self, dotted: bool) -> dict[str, numpy.typing.NDArray[numpy.generic]]"),
           "The table as arrays, which ``CaseTable`` takes by name.");
  nb::class_<MappedCaseTable>(module, "CaseTable", "The forms of words, the most frequent first.")
      .def(nb::init<ArrayIn<std::uint32_t>, ArrayIn<std::uint8_t>, ArrayIn<std::uint64_t>, ArrayIn<std::uint32_t>,
                    ArrayIn<std::uint8_t>, ArrayIn<std::uint64_t>, ArrayIn<std::uint64_t>, bool>(),
           nb::kw_only(), "slots"_a, "word_bytes"_a, "word_ends"_a, "word_forms"_a, "form_bytes"_a, "form_ends"_a,
           "counts"_a, "dotted"_a)
      .def(
          "usual_form",
          [](const MappedCaseTable& self, nb::str word) -> nb::object {
            const auto found = self.table().usual_form(Utf8(word).view());
            return found ? to_str(*found) : nb::none();
          },
          "word"_a, nb::sig("def usual_form(self, word: str) -> str | None"),
          "The usual form of a word inside sentences; None if it never occurred there.")
      .def(
          "usual_lines",
          [](const MappedCaseTable& self, nb::list lines, std::size_t threads) {
            return cased_lines(self, lines, threads, &text::CaseTable::usual);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 1,
          nb::sig("def usual_lines(self, lines: list[str], *, threads: int = 1) -> list[str]"),
          "Every word of every line in its usual form.")
      .def(
          "truecase_lines",
          [](const MappedCaseTable& self, nb::list lines, std::size_t threads) {
            return cased_lines(self, lines, threads, &text::CaseTable::truecase);
          },
          "lines"_a, nb::kw_only(), "threads"_a = 1,
          nb::sig("def truecase_lines(self, lines: list[str], *, threads: int = 1) -> list[str]"),
          "First words of sentences, and words in an unknown form, in their usual form.")
      .def("rows", &rows, nb::sig("def rows(self) -> list[tuple[str, str, int]]"),
           "The words in lower case, their forms, and how often each form occurred.");
}

}  // namespace

void bind_text_processing(nb::module_& module) {
  module.def("unicode_version", [] { return std::string_view(text::tables::kVersion); },
             "The version of Unicode whose properties of characters the engine knows.");
  module.def(
      "character_properties",
      [] {
        Buffer<std::uint8_t> all;
        for (char32_t c = 0; c <= text::kLastCode; ++c) all.push_back(text::properties(c));
        return to_numpy(std::move(all));
      },
      nb::sig("def character_properties() -> numpy.typing.NDArray[numpy.uint8]"),
      "What the engine knows of every code point, as bits.");
  module.def(
      "lowered",
      [](nb::str given, bool dotted) {
        std::string out;
        text::lower(Utf8(given).view(), dotted, out);
        return to_str(out);
      },
      "text"_a, "dotted"_a = false, nb::sig("def lowered(text: str, dotted: bool = False) -> str"),
      "The text in lower case.");
  bind_tokenizer(module);
  bind_case(module);
}

}  // namespace isogloss::bindings
