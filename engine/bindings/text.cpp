#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/hash.hpp"
#include "bindings/arrays.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

using Encoded = std::pair<ArrayOut<WordId>, ArrayOut<std::int64_t>>;

/// `tokens` is a list of lists of strings; Python has already split them, as its users see words.
Encoded encode(text::Vocabulary& vocabulary, nb::iterable lines, bool grow) {
  Buffer<WordId> ids;
  Buffer<std::int64_t> offsets;
  offsets.push_back(0);
  for (nb::handle line : lines) {
    for (nb::handle token : nb::borrow<nb::iterable>(line)) {
      const auto text = nb::cast<std::string_view>(token);
      ids.push_back(grow ? vocabulary.add(text) : vocabulary.find(text));
    }
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return {to_numpy(std::move(ids)), to_numpy(std::move(offsets))};
}

}  // namespace

void bind_text(nb::module_& module) {
  module.attr("NO_WORD") = kNoWord;
  module.def("hash64", [](std::string_view text) { return hash64(text); }, "text"_a,
             "The 64-bit hash that the file formats use.");
  nb::class_<text::Vocabulary>(module, "Vocabulary", "Words numbered from 0 in the order of first appearance.")
      .def(nb::init<>())
      .def_static(
          "from_arrays",
          [](ArrayIn<std::uint8_t> bytes, ArrayIn<std::uint64_t> offsets) {
            if (offsets.size() == 0) throw nb::value_error("vocabulary: no offsets");
            const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return text::Vocabulary(text, offsets.data(), offsets.size() - 1);
          },
          "bytes"_a, "offsets"_a, "Restore from ``arrays()``.")
      .def("__len__", &text::Vocabulary::size)
      .def("add", &text::Vocabulary::add, "word"_a, "The id of the word, which is added if it is new.")
      .def("find", &text::Vocabulary::find, "word"_a, "The id of the word, or ``NO_WORD``.")
      .def(
          "word",
          [](const text::Vocabulary& vocabulary, WordId id) {
            if (id >= vocabulary.size()) throw nb::index_error("no word has that number");
            return nb::str(vocabulary.word(id).data(), vocabulary.word(id).size());
          },
          "id"_a, "The word with this id.")
      .def(
          "words",
          [](const text::Vocabulary& vocabulary) {
            nb::list all;
            for (WordId id = 0; id < vocabulary.size(); ++id)
              all.append(nb::str(vocabulary.word(id).data(), vocabulary.word(id).size()));
            return all;
          },
          nb::sig("def words(self) -> list[str]"), "All words, in the order of their ids.")
      .def(
          "encode",
          [](text::Vocabulary& self, nb::iterable lines, bool grow) { return encode(self, lines, grow); },
          "lines"_a, nb::kw_only(), "grow"_a = true,
          nb::sig("def encode(self, lines: collections.abc.Iterable[collections.abc.Iterable[str]], *, "
                  "grow: bool = True) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.int64]]"),
          "Word numbers of all lines one after another, and the offset of each line (one more than lines).")
      .def(
          "hashes",
          [](const text::Vocabulary& vocabulary) {
            Buffer<std::uint64_t> hashes;
            for (WordId id = 0; id < vocabulary.size(); ++id) hashes.push_back(hash64(vocabulary.word(id)));
            return to_numpy(std::move(hashes));
          },
          nb::sig("def hashes(self) -> numpy.typing.NDArray[numpy.uint64]"), "``hash64`` of every word.")
      .def(
          "arrays",
          [](const text::Vocabulary& vocabulary) {
            Buffer<std::uint8_t> bytes;
            bytes.append(reinterpret_cast<const std::uint8_t*>(vocabulary.bytes().data()),
                         vocabulary.bytes().size());
            Buffer<std::uint64_t> offsets;
            offsets.append(vocabulary.offsets().data(), vocabulary.offsets().size());
            return std::make_pair(to_numpy(std::move(bytes)), to_numpy(std::move(offsets)));
          },
          nb::sig("def arrays(self) -> tuple[numpy.typing.NDArray[numpy.uint8], "
                  "numpy.typing.NDArray[numpy.uint64]]"),
          "The words as one block of bytes and their offsets in it.");
}

}  // namespace isogloss::bindings
