#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "bindings/arrays.hpp"
#include "bindings/nbest.hpp"
#include "nbest/builder.hpp"
#include "nbest/moses_reader.hpp"
#include "nbest/moses_writer.hpp"
#include "nbest/repetitions.hpp"
#include "nbest/sparse.hpp"
#include "text/split.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

/// Pairs and quadruples of numbers cross as matrices of 16-bit columns.
template <class Row>
ArrayOut<std::uint16_t> link_matrix(Buffer<Row>&& rows) {
  constexpr std::size_t width = sizeof(Row) / sizeof(std::uint16_t);
  const std::size_t count = rows.size();
  Row* data = rows.release();
  nb::capsule owner(data == nullptr ? std::malloc(1) : data, [](void* p) noexcept { std::free(p); });
  const std::size_t shape[] = {count, width};
  return ArrayOut<std::uint16_t>(reinterpret_cast<std::uint16_t*>(data), 2, shape, owner);
}

template <class Row>
std::span<const Row> link_rows(const MatrixIn<std::uint16_t>& matrix) {
  if (matrix.shape(1) * sizeof(std::uint16_t) != sizeof(Row)) throw nb::value_error("links: wrong width");
  return {reinterpret_cast<const Row*>(matrix.data()), matrix.shape(0)};
}

using NamedValues = std::vector<std::pair<std::string, double>>;
using NamedGroups = std::vector<std::pair<std::string, std::vector<double>>>;
using Links = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// One candidate from Python; `line` is where it came from, for the message.
void add_candidate(nbest::NbestBuilder& builder, std::int64_t sentence, std::string_view text,
                   std::optional<double> score, const NamedGroups& dense, const NamedValues& sparse,
                   const Links& alignment, std::uint64_t line) {
  try {
    builder.begin(sentence);
    text::Tokens words(text);
    for (std::string_view word; !(word = words.next()).empty();) builder.add_token(word);
    for (const auto& [name, values] : dense) builder.add_dense(name, values);
    for (const auto& [name, value] : sparse) builder.add_sparse(name, value);
    for (const auto& [source, target] : alignment) builder.add_aligned_pair(source, target);
    if (score) builder.set_score(*score);
    builder.end();
  } catch (const std::invalid_argument& error) {
    throw LineError(error.what(), line);
  }
}

template <class T>
using OptionalArray = std::optional<ArrayIn<T>>;
using OptionalLinks = std::optional<MatrixIn<std::uint16_t>>;

/// A checked view of a list together with the arrays it looks at.
class MosesWriter {
 public:
  MosesWriter(ArrayIn<std::int64_t> sentence_ids, ArrayIn<std::int64_t> sentence_offsets, ArrayIn<double> scores,
              const std::vector<std::pair<std::string, std::size_t>>& groups, MatrixIn<double> dense,
              const text::Vocabulary& words, ArrayIn<std::int64_t> token_offsets, ArrayIn<WordId> tokens,
              const text::Vocabulary* sparse_names, OptionalArray<std::int64_t> sparse_offsets,
              OptionalArray<std::uint32_t> sparse_columns, OptionalArray<float> sparse_values,
              OptionalArray<std::int64_t> alignment_offsets, OptionalLinks alignment,
              OptionalArray<std::int64_t> segmentation_offsets, OptionalLinks segmentation,
              bool alignment_before_features)
      : owners_(owning(sentence_ids, sentence_offsets, scores, dense, token_offsets, tokens, sparse_offsets,
                       sparse_columns, sparse_values, alignment_offsets, alignment, segmentation_offsets,
                       segmentation)),
        options_{alignment_before_features} {
    list_.sentence_ids = view(sentence_ids);
    list_.sentence_offsets = view(sentence_offsets);
    list_.scores = view(scores);
    for (const auto& [name, size] : groups) {
      list_.dense_groups.push_back({name, list_.dense_columns, size, 0});
      list_.dense_columns += size;
    }
    if (dense.shape(1) != list_.dense_columns) throw nb::value_error("dense: groups and columns differ");
    list_.dense = {dense.data(), dense.size()};
    list_.words = &words;
    list_.token_offsets = view(token_offsets);
    list_.tokens = view(tokens);
    if (sparse_names != nullptr && sparse_offsets && sparse_columns && sparse_values) {
      list_.sparse_names = sparse_names;
      list_.sparse_offsets = view(*sparse_offsets);
      list_.sparse_columns = view(*sparse_columns);
      list_.sparse_values = view(*sparse_values);
    }
    if (alignment_offsets && alignment) {
      list_.alignment_offsets = view(*alignment_offsets);
      list_.alignment = link_rows<nbest::AlignedWords>(*alignment);
    }
    if (segmentation_offsets && segmentation) {
      list_.segmentation_offsets = view(*segmentation_offsets);
      list_.segmentation = link_rows<nbest::PhraseSpan>(*segmentation);
    }
    const nb::gil_scoped_release release;
    list_.check();
  }

  std::string write(std::size_t first_sentence, std::size_t last_sentence) const {
    if (first_sentence > last_sentence || last_sentence > list_.sentence_ids.size())
      throw nb::index_error("no such sentences");
    const nb::gil_scoped_release release;
    return nbest::write_moses(list_, options_, first_sentence, last_sentence);
  }

 private:
  template <class... Arrays>
  static std::shared_ptr<void> owning(const Arrays&... arrays) {
    return std::make_shared<std::tuple<Arrays...>>(arrays...);
  }

  std::shared_ptr<void> owners_;
  nbest::MosesWriterOptions options_;
  nbest::NbestView list_;
};

}  // namespace

nb::dict to_dict(nbest::NbestColumns&& columns) {
  nb::list groups, missing;
  const std::size_t candidates = columns.candidates();
  for (const nbest::DenseGroup& group : columns.dense_groups) {
    groups.append(nb::make_tuple(group.name, group.size));
    missing.append(candidates - group.candidates);
  }
  nb::dict out;
  out["reordered"] = columns.reordered;
  out["sentence_ids"] = to_numpy(std::move(columns.sentence_ids));
  out["sentence_offsets"] = to_numpy(std::move(columns.sentence_offsets));
  out["scores"] = to_numpy(std::move(columns.scores));
  out["dense_groups"] = groups;
  out["missing"] = missing;
  out["dense"] = to_numpy(std::move(columns.dense), {candidates, columns.dense_columns});
  out["words"] = nb::cast(std::move(columns.words));
  out["token_offsets"] = to_numpy(std::move(columns.tokens.offsets));
  out["tokens"] = to_numpy(std::move(columns.tokens.values));
  out["sparse_names"] = nb::cast(std::move(columns.sparse_names));
  out["sparse_offsets"] = to_numpy(std::move(columns.sparse_columns.offsets));
  out["sparse_columns"] = to_numpy(std::move(columns.sparse_columns.values));
  out["sparse_values"] = to_numpy(std::move(columns.sparse_values));
  out["alignment_offsets"] = to_numpy(std::move(columns.alignment.offsets));
  out["alignment"] = link_matrix(std::move(columns.alignment.values));
  out["segmentation_offsets"] = to_numpy(std::move(columns.segmentation.offsets));
  out["segmentation"] = link_matrix(std::move(columns.segmentation.values));
  return out;
}

template <class Source>
nb::dict finished(Source& source) {
  nbest::NbestColumns columns;
  {
    const nb::gil_scoped_release release;
    columns = source.finish();
  }
  return to_dict(std::move(columns));
}

void bind_nbest(nb::module_& module) {
  nb::class_<nbest::MosesReader>(module, "MosesReader",
                                 "Reads an n-best list in Moses format, in chunks.")
      .def(
          "__init__",
          [](nbest::MosesReader* self, bool named_values_are_dense, bool fields_before_features) {
            new (self) nbest::MosesReader({named_values_are_dense, fields_before_features});
          },
          nb::kw_only(), "named_values_are_dense"_a = false, "fields_before_features"_a = false)
      .def(
          "feed",
          [](nbest::MosesReader& reader, nb::bytes chunk) {
            const std::string_view bytes(chunk.c_str(), chunk.size());
            const nb::gil_scoped_release release;
            reader.feed(bytes);
          },
          "chunk"_a, "Read the next bytes of the file.")
      .def("lines", &nbest::MosesReader::lines, "Lines read so far.")
      .def(
          "finish", [](nbest::MosesReader& reader) { return finished(reader); },
          nb::sig("def finish(self) -> dict[str, object]"), "The columns of the whole list.");

  nb::class_<nbest::NbestBuilder>(module, "NbestBuilder", "Collects the candidates of an n-best list.")
      .def(nb::init<>())
      .def("add", &add_candidate, "sentence"_a, "text"_a, nb::kw_only(), "score"_a = nb::none(),
           "dense"_a = NamedGroups(), "sparse"_a = NamedValues(), "alignment"_a = Links(), "line"_a = 0,
           "Add one candidate. LineError names `line` if something about it is wrong.")
      .def(
          "finish", [](nbest::NbestBuilder& builder) { return finished(builder); },
          nb::sig("def finish(self) -> dict[str, object]"), "The columns of the whole list.");

  using Groups = std::vector<std::pair<std::string, std::size_t>>;
  nb::class_<MosesWriter>(module, "MosesWriter", "Writes a list in the notation that MosesReader reads.")
      .def(nb::init<ArrayIn<std::int64_t>, ArrayIn<std::int64_t>, ArrayIn<double>, const Groups&,
                    MatrixIn<double>, const text::Vocabulary&, ArrayIn<std::int64_t>, ArrayIn<WordId>,
                    const text::Vocabulary*, OptionalArray<std::int64_t>, OptionalArray<std::uint32_t>,
                    OptionalArray<float>, OptionalArray<std::int64_t>, OptionalLinks,
                    OptionalArray<std::int64_t>, OptionalLinks, bool>(),
           nb::kw_only(), "sentence_ids"_a, "sentence_offsets"_a, "scores"_a, "dense_groups"_a, "dense"_a,
           "words"_a, "token_offsets"_a, "tokens"_a, "sparse_names"_a.none() = nb::none(),
           "sparse_offsets"_a = nb::none(), "sparse_columns"_a = nb::none(), "sparse_values"_a = nb::none(),
           "alignment_offsets"_a = nb::none(), "alignment"_a = nb::none(),
           "segmentation_offsets"_a = nb::none(), "segmentation"_a = nb::none(),
           "alignment_before_features"_a = false, nb::keep_alive<1, 7>(), nb::keep_alive<1, 10>())
      .def("write", &MosesWriter::write, "first_sentence"_a, "last_sentence"_a,
           "The lines of the sentences from the first up to, but not including, the last.");

  module.def(
      "materialize_sparse",
      [](ArrayIn<std::int64_t> rows, ArrayIn<std::int64_t> candidate_offsets, ArrayIn<std::uint32_t> events,
         ArrayIn<float> event_counts, ArrayIn<std::int64_t> event_offsets, ArrayIn<std::uint32_t> features,
         ArrayIn<float> feature_values) {
        const nbest::SparseView sparse{view(candidate_offsets), view(events),   view(event_counts),
                                       view(event_offsets),     view(features), view(feature_values)};
        nbest::Ragged<std::uint32_t> columns;
        Buffer<float> values;
        {
          const nb::gil_scoped_release release;
          sparse.check();
          nbest::materialize(sparse, view(rows), columns, values);
        }
        return nb::make_tuple(to_numpy(std::move(columns.offsets)), to_numpy(std::move(columns.values)),
                              to_numpy(std::move(values)));
      },
      nb::kw_only(), "rows"_a, "candidate_offsets"_a, "events"_a, "event_counts"_a, "event_offsets"_a,
      "features"_a, "feature_values"_a,
      nb::sig("def materialize_sparse(*, rows: numpy.typing.NDArray[numpy.int64], "
              "candidate_offsets: numpy.typing.NDArray[numpy.int64], events: numpy.typing.NDArray[numpy.uint32], "
              "event_counts: numpy.typing.NDArray[numpy.float32], "
              "event_offsets: numpy.typing.NDArray[numpy.int64], "
              "features: numpy.typing.NDArray[numpy.uint32], "
              "feature_values: numpy.typing.NDArray[numpy.float32]) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32], "
              "numpy.typing.NDArray[numpy.float32]]"),
      "Offsets, columns and values of the given candidates' features, summed over their events.");

  module.def(
      "first_of_each",
      [](ArrayIn<std::int64_t> sentence_offsets, ArrayIn<std::int64_t> token_offsets, ArrayIn<WordId> tokens,
         MatrixIn<double> dense, OptionalArray<std::int64_t> sparse_offsets, OptionalArray<std::uint32_t> columns,
         OptionalArray<float> values) {
        nbest::CandidateView list;
        list.sentence_offsets = view(sentence_offsets);
        list.token_offsets = view(token_offsets);
        list.tokens = view(tokens);
        list.dense = {dense.data(), dense.size()};
        list.dense_columns = dense.shape(1);
        if (sparse_offsets && columns && values) {
          list.sparse_offsets = view(*sparse_offsets);
          list.columns = view(*columns);
          list.values = view(*values);
        }
        Buffer<std::int64_t> rows;
        {
          const nb::gil_scoped_release release;
          list.check();
          const std::vector<std::int64_t> kept = nbest::first_of_each(list);
          rows.append(kept.data(), kept.size());
        }
        return to_numpy(std::move(rows));
      },
      nb::kw_only(), "sentence_offsets"_a, "token_offsets"_a, "tokens"_a, "dense"_a, "sparse_offsets"_a = nb::none(),
      "columns"_a = nb::none(), "values"_a = nb::none(),
      "The candidates that do not repeat the words and features of an earlier one of their sentence.");
}

}  // namespace isogloss::bindings
