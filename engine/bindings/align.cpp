#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "align/aligner.hpp"
#include "align/cooccurrence.hpp"
#include "align/hmm.hpp"
#include "align/lexical_estimation.hpp"
#include "align/lexical_table.hpp"
#include "align/links.hpp"
#include "align/position_prior.hpp"
#include "align/trainer.hpp"
#include "base/offsets.hpp"
#include "bindings/arrays.hpp"
#include "text/split.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::bindings {
namespace {

using namespace nb::literals;

/// Keeps the arrays alive as long as the view of them is in use.
struct SharedBitext {
  SharedBitext(ArrayIn<WordId> source_words, ArrayIn<std::int64_t> source_ends, ArrayIn<WordId> target_words,
               ArrayIn<std::int64_t> target_ends)
      : source(std::move(source_words)),
        source_offsets(std::move(source_ends)),
        target(std::move(target_words)),
        target_offsets(std::move(target_ends)),
        bitext{view(source), view(source_offsets), view(target), view(target_offsets)} {
    bitext.check();
  }

  ArrayIn<WordId> source;
  ArrayIn<std::int64_t> source_offsets;
  ArrayIn<WordId> target;
  ArrayIn<std::int64_t> target_offsets;
  align::Bitext bitext;
};

struct SharedTable {
  SharedTable(ArrayIn<std::uint64_t> row_offsets, ArrayIn<WordId> columns, MatrixIn<float> probabilities)
      : row_offsets_array(std::move(row_offsets)),
        columns_array(std::move(columns)),
        probabilities_array(std::move(probabilities)),
        table(view(row_offsets_array), view(columns_array),
              {probabilities_array.data(), probabilities_array.size()}) {}

  ArrayIn<std::uint64_t> row_offsets_array;
  ArrayIn<WordId> columns_array;
  MatrixIn<float> probabilities_array;
  align::LexicalTable table;
};

struct SharedAligner {
  SharedAligner(const SharedTable& lexicon, ArrayIn<float> source_null, ArrayIn<float> target_null,
                const align::AlignmentParameters& parameters)
      : table(lexicon),
        source_null_array(std::move(source_null)),
        target_null_array(std::move(target_null)),
        aligner(table.table, view(source_null_array), view(target_null_array), parameters) {}

  SharedTable table;
  ArrayIn<float> source_null_array, target_null_array;
  align::Aligner aligner;
};

ArrayOut<std::uint32_t> links_to_numpy(Buffer<align::Link>&& links) {
  static_assert(sizeof(align::Link) == 2 * sizeof(std::uint32_t));
  const std::size_t size = links.size();
  auto* data = reinterpret_cast<std::uint32_t*>(links.release());
  nb::capsule owner(data == nullptr ? std::malloc(1) : static_cast<void*>(data),
                    [](void* p) noexcept { std::free(p); });
  return ArrayOut<std::uint32_t>(data, {size, 2}, owner);
}

std::span<const align::Link> view_links(const MatrixIn<std::uint32_t>& links, const ArrayIn<std::int64_t>& offsets) {
  if (links.shape(1) != 2) throw nb::value_error("links are pairs of positions");
  check_offsets(view(offsets), std::max<std::size_t>(offsets.size(), 1) - 1, links.shape(0), "links");
  return {reinterpret_cast<const align::Link*>(links.data()), links.shape(0)};
}

constexpr std::size_t kPositionValues = sizeof(align::PositionCounts) / sizeof(double);
static_assert(sizeof(align::AlignmentTrainer::BothPositions) == 2 * kPositionValues * sizeof(double));

template <class T>
ArrayOut<T> copy_to_numpy(std::span<const T> values) {
  Buffer<T> buffer;
  buffer.append(values.data(), values.size());
  return to_numpy(std::move(buffer));
}

using Links = std::pair<ArrayOut<std::uint32_t>, ArrayOut<std::int64_t>>;

Links align(const SharedAligner& self, const SharedBitext& bitext, std::size_t begin, std::size_t end,
            const align::AlignOptions& options, std::size_t threads) {
  Buffer<align::Link> links;
  Buffer<std::int64_t> offsets;
  {
    nb::gil_scoped_release release;
    offsets.push_back(0);
    self.aligner.align(bitext.bitext, begin, end, options, threads, links, offsets);
  }
  return {links_to_numpy(std::move(links)), to_numpy(std::move(offsets))};
}

Links symmetrize_links(const MatrixIn<std::uint32_t>& forward, const ArrayIn<std::int64_t>& forward_offsets,
                       const MatrixIn<std::uint32_t>& backward, const ArrayIn<std::int64_t>& backward_offsets,
                       align::Symmetrization method) {
  const auto here = view_links(forward, forward_offsets);
  const auto there = view_links(backward, backward_offsets);
  Buffer<align::Link> links;
  Buffer<std::int64_t> offsets;
  {
    nb::gil_scoped_release release;
    offsets.push_back(0);
    align::symmetrize(here, view(forward_offsets), there, view(backward_offsets), method, links, offsets);
  }
  return {links_to_numpy(std::move(links)), to_numpy(std::move(offsets))};
}

/// Numbers the words of each line of `text`; lines are separated by line ends, so there is always one.
std::pair<ArrayOut<WordId>, ArrayOut<std::int64_t>> encode_lines(text::Vocabulary& vocabulary,
                                                                 const nb::bytes& text, bool grow) {
  Buffer<WordId> ids;
  Buffer<std::int64_t> offsets;
  std::string_view rest(text.c_str(), text.size());
  {
    nb::gil_scoped_release release;
    offsets.push_back(0);
    for (bool more = true; more;) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text::Tokens tokens(rest.substr(0, end));
      for (std::string_view word; !(word = tokens.next()).empty();)
        ids.push_back(grow ? vocabulary.add(word) : vocabulary.find(word));
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
      more = end < rest.size();
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return {to_numpy(std::move(ids)), to_numpy(std::move(offsets))};
}

/// Double precision, for research and for comparing with enumeration.
nb::tuple hmm_posteriors(const MatrixIn<double>& emission, const ArrayIn<double>& null_emission,
                         const ArrayIn<double>& jumps, double uniform_jump) {
  const std::size_t generated = emission.shape(0), given = emission.shape(1);
  if (null_emission.size() != generated || given == 0 || generated == 0 || jumps.size() != align::kJumpWeights)
    throw nb::value_error("emissions of at least one word, as many null emissions, and all jump weights");
  align::JumpWeights weights{};
  std::copy_n(jumps.data(), align::kJumpWeights, weights.begin());
  const std::size_t stride = align::ForwardBackward<double>::stride(given);
  std::vector<double> rows(generated * stride, 0.0);
  for (std::size_t word = 0; word < generated; ++word)
    std::copy_n(emission.data() + word * given, given, rows.data() + word * stride);
  const align::JumpTable<double> table(weights, uniform_jump, std::max(given, generated));
  align::ForwardBackward<double> chain;
  const double log_likelihood = chain.run(given, generated, rows.data(), null_emission.data(), table);
  align::JumpCounts counts;
  chain.add_jumps(table, counts);
  Buffer<double> posteriors, nulls;
  for (std::size_t word = 0; word < generated; ++word) {
    posteriors.append(chain.posterior(word).data(), given);
    nulls.push_back(chain.null_posterior(word));
  }
  return nb::make_tuple(log_likelihood, to_numpy(std::move(posteriors), {generated, given}),
                        to_numpy(std::move(nulls)), copy_to_numpy<double>(counts.taken),
                        copy_to_numpy<double>(counts.possible));
}

void bind_parameters(nb::module_& module) {
  nb::enum_<align::AlignmentModelType>(module, "AlignmentModelType", "The position model.")
      .value("model1", align::AlignmentModelType::kModel1)
      .value("fast", align::AlignmentModelType::kFast)
      .value("hmm", align::AlignmentModelType::kHmm);
  nb::enum_<align::Symmetrization>(module, "Symmetrization", "Symmetrization method.")
      .value("intersection", align::Symmetrization::kIntersection)
      .value("union", align::Symmetrization::kUnion)
      .value("grow_diag", align::Symmetrization::kGrowDiag)
      .value("grow_diag_final", align::Symmetrization::kGrowDiagFinal)
      .value("grow_diag_final_and", align::Symmetrization::kGrowDiagFinalAnd)
      .value("forward", align::Symmetrization::kForward)
      .value("backward", align::Symmetrization::kBackward);
  nb::class_<align::AlignmentParameters>(module, "AlignmentParameters",
                                         "What an alignment model knows besides its lexical table.")
      .def(nb::init<>())
      .def_rw("type", &align::AlignmentParameters::type)
      .def_rw("null_probability", &align::AlignmentParameters::null_probability)
      .def_rw("uniform_jump", &align::AlignmentParameters::uniform_jump)
      .def_rw("lexical_floor", &align::AlignmentParameters::lexical_floor)
      .def_prop_rw(
          "tensions",
          [](const align::AlignmentParameters& self) {
            return std::pair(self.directions[0].tension, self.directions[1].tension);
          },
          [](align::AlignmentParameters& self, std::pair<double, double> tensions) {
            self.directions[0].tension = tensions.first;
            self.directions[1].tension = tensions.second;
          },
          "Diagonal tension: forward, backward.")
      .def_prop_rw(
          "jumps",
          [](const align::AlignmentParameters& self) {
            Buffer<double> both;
            for (const align::DirectionParameters& direction : self.directions)
              both.append(direction.jumps.data(), align::kJumpWeights);
            return to_numpy(std::move(both), {2, align::kJumpWeights});
          },
          [](align::AlignmentParameters& self, const MatrixIn<double>& jumps) {
            if (jumps.shape(0) != 2 || jumps.shape(1) != align::kJumpWeights)
              throw nb::value_error("jump weights have the wrong shape");
            for (std::size_t i = 0; i < jumps.size(); ++i)
              if (!(jumps.data()[i] > 0) || !std::isfinite(jumps.data()[i]))
                throw nb::value_error("jump weights must be positive");
            for (std::size_t d = 0; d < 2; ++d)
              std::copy_n(jumps.data() + d * align::kJumpWeights, align::kJumpWeights,
                          self.directions[d].jumps.begin());
          },
          nb::for_getter(nb::rv_policy::move),
          nb::for_getter(nb::sig("def jumps(self) -> numpy.typing.NDArray[numpy.float64]")),
          nb::for_setter(nb::sig("def jumps(self, jumps: numpy.typing.NDArray[numpy.float64], /) -> None")),
          "Jump weights, forward and backward: a row of widths from far back to far ahead each.");
}

void bind_training(nb::module_& module) {
  nb::class_<SharedBitext>(module, "Bitext", "Sentence pairs as word ids; the arrays are not copied.")
      .def(nb::init<ArrayIn<WordId>, ArrayIn<std::int64_t>, ArrayIn<WordId>, ArrayIn<std::int64_t>>(),
           "source"_a, "source_offsets"_a, "target"_a, "target_offsets"_a)
      .def("__len__", [](const SharedBitext& self) { return self.bitext.pairs(); });

  nb::class_<align::Cooccurrence>(module, "Cooccurrence", "Which words stand in the same sentence pair.")
      .def(
          "__init__",
          [](align::Cooccurrence* self, const SharedBitext& bitext, std::size_t source_words,
             std::size_t target_words, std::size_t max_length) {
            new (self) align::Cooccurrence(bitext.bitext, source_words, target_words, max_length);
          },
          "bitext"_a, nb::kw_only(), "source_words"_a, "target_words"_a, "max_length"_a,
          nb::keep_alive<1, 2>())
      .def_prop_ro("cells", &align::Cooccurrence::cells, "Words times words, summed over all usable pairs.")
      .def_prop_ro(
          "entries", [](const align::Cooccurrence& self) { return self.columns().size(); },
          "Pairs of words found so far.")
      .def_prop_ro(
          "levels", [](const align::Cooccurrence& self) { return copy_to_numpy<std::uint64_t>(self.levels()); },
          nb::rv_policy::move, nb::sig("def levels(self) -> numpy.typing.NDArray[numpy.uint64]"),
          "Entries by level; each level but the first holds those seen once, of words ever less rare.")
      .def("survey", &align::Cooccurrence::survey, "work"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Count entries by level for some more cells; True when done.")
      .def("limit_level", &align::Cooccurrence::limit_level, "level"_a, "Drop entries above this level.")
      .def("keep_cells", &align::Cooccurrence::keep_cells, "keep"_a, "Whether to keep the entry of every cell.")
      .def("build", &align::Cooccurrence::build, "work"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Make the table for some more cells; True when complete.")
      .def(
          "arrays",
          [](const align::Cooccurrence& self) {
            return std::make_tuple(copy_to_numpy<std::uint64_t>(self.row_offsets()),
                                   copy_to_numpy<WordId>(self.columns()),
                                   copy_to_numpy<std::uint32_t>(self.cell_entries()));
          },
          nb::sig("def arrays(self) -> tuple[numpy.typing.NDArray[numpy.uint64], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]"),
          "Row offsets, columns, and the entry of every cell.")
      .def(
          "restore",
          [](align::Cooccurrence& self, const ArrayIn<std::uint64_t>& row_offsets, const ArrayIn<WordId>& columns,
             const ArrayIn<std::uint32_t>& cells) { self.restore(view(row_offsets), view(columns), view(cells)); },
          "row_offsets"_a, "columns"_a, "cells"_a,
          nb::sig("def restore(self, row_offsets: numpy.typing.NDArray[numpy.uint64], "
                  "columns: numpy.typing.NDArray[numpy.uint32], cells: numpy.typing.NDArray[numpy.uint32]) -> None"),
          "Take what another table of the same pairs has built.");

  nb::class_<align::AlignmentTrainer>(module, "AlignmentTrainer", "Expectation-maximization of both directions.")
      .def(
          "__init__",
          [](align::AlignmentTrainer* self, const align::Cooccurrence& table,
             const align::AlignmentParameters& parameters, bool symmetric) { new (self) align::AlignmentTrainer(table, parameters, symmetric); },
          "table"_a, "parameters"_a, nb::kw_only(), "symmetric"_a, nb::keep_alive<1, 2>())
      .def(
          "expect_twins",
          [](align::AlignmentTrainer& self, const ArrayIn<WordId>& twins, double count) {
            self.expect_twins(view(twins), count);
          },
          "twins"_a, "count"_a, nb::sig("def expect_twins(self, twins: numpy.typing.NDArray[numpy.uint32], "
                                        "count: float) -> None"),
          "Add ``count`` links of each source word and the target word that is the same string.")
      .def("set_type", &align::AlignmentTrainer::set_type, "type"_a, "Continue with another model.")
      .def("expect", &align::AlignmentTrainer::expect, "begin"_a, "end"_a, "threads"_a,
           nb::call_guard<nb::gil_scoped_release>(), "E-step over some pairs.")
      .def(
          "maximize",
          [](align::AlignmentTrainer& self, double lexical_prior, double jump_prior, std::size_t threads) {
            const auto both = self.maximize({lexical_prior, jump_prior}, threads);
            return std::pair(both[0], both[1]);
          },
          nb::kw_only(), "lexical_prior"_a, "jump_prior"_a, "threads"_a,
          nb::call_guard<nb::gil_scoped_release>(), "M-step; the log likelihood of both directions before.")
      .def(
          "resume",
          [](align::AlignmentTrainer& self, const MatrixIn<float>& probabilities, const ArrayIn<float>& source_null,
             const ArrayIn<float>& target_null, double most) {
            self.resume({probabilities.data(), probabilities.size()}, view(source_null), view(target_null),
                        align::CountScale(most));
          },
          "probabilities"_a, "source_null"_a, "target_null"_a, nb::kw_only(), "most"_a,
          nb::sig("def resume(self, probabilities: numpy.typing.NDArray[numpy.float32], "
                  "source_null: numpy.typing.NDArray[numpy.float32], "
                  "target_null: numpy.typing.NDArray[numpy.float32], *, most: float) -> None"),
          "Go on as part of a larger corpus, whose counts do not exceed ``most``.")
      .def(
          "counts",
          [](const align::AlignmentTrainer& self, std::size_t direction) {
            if (direction > 1) throw nb::index_error("a direction is 0 or 1");
            return copy_to_numpy<std::int64_t>(self.counts(direction));
          },
          "direction"_a, nb::sig("def counts(self, direction: int) -> numpy.typing.NDArray[numpy.int64]"),
          "What was counted for every entry since the last M-step, in fixed point.")
      .def(
          "column_sums",
          [](const align::AlignmentTrainer& self, std::size_t threads) {
            return copy_to_numpy<std::int64_t>(self.column_sums(threads));
          },
          "threads"_a, nb::sig("def column_sums(self, threads: int) -> numpy.typing.NDArray[numpy.int64]"),
          "Backward counts by target word.")
      .def(
          "positions",
          [](const align::AlignmentTrainer& self) {
            const auto chunks = self.positions();
            Buffer<double> values;
            values.append(reinterpret_cast<const double*>(chunks.data()), chunks.size() * 2 * kPositionValues);
            return to_numpy(std::move(values), {chunks.size(), 2, kPositionValues});
          },
          nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Position counts since the last M-step: a row of both directions for some pairs each.")
      .def(
          "add_positions",
          [](align::AlignmentTrainer& self,
             const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& values) {
            if (values.shape(1) != 2 || values.shape(2) != kPositionValues)
              throw nb::value_error("position counts have the wrong shape");
            self.add_positions(
                {reinterpret_cast<const align::AlignmentTrainer::BothPositions*>(values.data()), values.shape(0)});
          },
          "positions"_a,
          nb::sig("def add_positions(self, positions: numpy.typing.NDArray[numpy.float64]) -> None"),
          "Add the position counts of a shard; shards must come in order.")
      .def(
          "masses",
          [](const align::AlignmentTrainer& self) {
            auto found = self.masses();
            return std::make_tuple(to_numpy(std::move(found.source_lengths)),
                                   to_numpy(std::move(found.target_lengths)), to_numpy(std::move(found.masses)));
          },
          nb::sig("def masses(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64]]"),
          "Fast model: lengths of both sides, and the masses of their positions.")
      .def(
          "add_masses",
          [](align::AlignmentTrainer& self, const ArrayIn<std::uint32_t>& source_lengths,
             const ArrayIn<std::uint32_t>& target_lengths, const ArrayIn<double>& masses) {
            self.add_masses(view(source_lengths), view(target_lengths), view(masses));
          },
          "source_lengths"_a, "target_lengths"_a, "masses"_a,
          nb::sig("def add_masses(self, source_lengths: numpy.typing.NDArray[numpy.uint32], "
                  "target_lengths: numpy.typing.NDArray[numpy.uint32], "
                  "masses: numpy.typing.NDArray[numpy.float64]) -> None"),
          "Add the masses of a shard; shards must come in order.")
      .def_prop_ro("parameters", &align::AlignmentTrainer::parameters, nb::rv_policy::copy, "As they are now.")
      .def_prop_ro(
          "source_null",
          [](const align::AlignmentTrainer& self) { return copy_to_numpy<float>(self.source_null()); },
          nb::rv_policy::move, nb::sig("def source_null(self) -> numpy.typing.NDArray[numpy.float32]"),
          "Probability of each source word under the empty word.")
      .def_prop_ro(
          "target_null",
          [](const align::AlignmentTrainer& self) { return copy_to_numpy<float>(self.target_null()); },
          nb::rv_policy::move, nb::sig("def target_null(self) -> numpy.typing.NDArray[numpy.float32]"),
          "Probability of each target word under the empty word.")
      .def(
          "lexicon",
          [](const align::AlignmentTrainer& self, double threshold) {
            align::AlignmentTrainer::Lexicon kept;
            {
              nb::gil_scoped_release release;
              kept = self.lexicon(threshold);
            }
            const std::size_t entries = kept.columns.size();
            return std::make_tuple(to_numpy(std::move(kept.row_offsets)), to_numpy(std::move(kept.columns)),
                                   to_numpy(std::move(kept.probabilities), {entries, 2}));
          },
          "threshold"_a,
          nb::sig("def lexicon(self, threshold: float) -> tuple[numpy.typing.NDArray[numpy.uint64], "
                  "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]"),
          "Row offsets, columns and probabilities of the entries worth keeping.");
}

void bind_estimation(nb::module_& module) {
  module.def(
      "fixed_count", [](double count, double most) { return align::CountScale(most).fixed(count); }, "count"_a,
      nb::kw_only(), "most"_a, "A count in fixed point, where no sum exceeds ``most``.");
  module.def(
      "column_factors",
      [](const ArrayIn<std::int64_t>& sums, const ArrayIn<std::uint32_t>& sizes, double most, double prior) {
        if (sums.size() != sizes.size()) throw nb::value_error("a size is expected for each sum");
        return copy_to_numpy<double>(
            align::column_factors(view(sums), view(sizes), align::CountScale(most), prior));
      },
      "sums"_a, "sizes"_a, nb::kw_only(), "most"_a, "prior"_a,
      nb::sig("def column_factors(sums: numpy.typing.NDArray[numpy.int64], sizes: numpy.typing.NDArray[numpy.uint32], "
              "*, most: float, prior: float) -> numpy.typing.NDArray[numpy.float64]"),
      "What the weight of a count is multiplied by, for each target word.");
  module.def(
      "maximize_rows",
      [](const ArrayIn<std::uint64_t>& row_offsets, const ArrayIn<WordId>& columns,
         const ArrayIn<std::int64_t>& forward, const ArrayIn<std::int64_t>& backward, const ArrayIn<double>& factors,
         double most, double prior) {
        const std::size_t rows = std::max<std::size_t>(row_offsets.size(), 1) - 1, entries = columns.size();
        const auto ends = view(row_offsets);
        if (ends.empty() || ends.front() != 0 || ends.back() != entries || !std::is_sorted(ends.begin(), ends.end()) ||
            forward.size() != entries || backward.size() != entries)
          throw nb::value_error("rows, columns and counts do not fit together");
        for (const WordId column : view(columns))
          if (column >= factors.size()) throw nb::value_error("a factor is expected for each column");
        Buffer<float> probabilities;
        {
          nb::gil_scoped_release release;
          probabilities.resize(2 * entries);
          align::maximize_rows({ends, view(columns), view(forward), view(backward)}, 0, rows, view(factors),
                               align::CountScale(most), prior, probabilities.data());
        }
        return to_numpy(std::move(probabilities), {entries, 2});
      },
      "row_offsets"_a, "columns"_a, "forward"_a, "backward"_a, "factors"_a, nb::kw_only(), "most"_a, "prior"_a,
      nb::sig("def maximize_rows(row_offsets: numpy.typing.NDArray[numpy.uint64], "
              "columns: numpy.typing.NDArray[numpy.uint32], forward: numpy.typing.NDArray[numpy.int64], "
              "backward: numpy.typing.NDArray[numpy.int64], factors: numpy.typing.NDArray[numpy.float64], *, "
              "most: float, prior: float) -> numpy.typing.NDArray[numpy.float32]"),
      "M-step of some rows: the probabilities of both directions of each entry.");
}

void bind_links(nb::module_& module) {
  module.def("symmetrize", &symmetrize_links, "forward"_a, "forward_offsets"_a, "backward"_a,
             "backward_offsets"_a, "method"_a,
             nb::sig("def symmetrize(forward: numpy.typing.NDArray[numpy.uint32], "
                     "forward_offsets: numpy.typing.NDArray[numpy.int64], "
                     "backward: numpy.typing.NDArray[numpy.uint32], "
                     "backward_offsets: numpy.typing.NDArray[numpy.int64], method: Symmetrization) -> "
                     "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]"),
             "Symmetrized links, sentence by sentence.");
  module.def(
      "parse_pharaoh",
      [](nb::bytes text, std::uint64_t first_line, std::optional<ArrayIn<std::int64_t>> source_lengths,
         std::optional<ArrayIn<std::int64_t>> target_lengths) {
        Buffer<align::Link> links;
        Buffer<std::int64_t> offsets;
        const std::string_view bytes(text.c_str(), text.size());
        std::optional<align::SentenceLengths> lengths;
        if (source_lengths && target_lengths) lengths = {view(*source_lengths), view(*target_lengths)};
        {
          nb::gil_scoped_release release;
          offsets.push_back(0);
          align::parse_pharaoh(bytes, first_line, lengths, links, offsets);
        }
        return Links{links_to_numpy(std::move(links)), to_numpy(std::move(offsets))};
      },
      "text"_a, nb::kw_only(), "first_line"_a = 1, "source_lengths"_a.none() = nb::none(),
      "target_lengths"_a.none() = nb::none(),
      nb::sig("def parse_pharaoh(text: bytes, *, first_line: int = 1, "
              "source_lengths: numpy.typing.NDArray[numpy.int64] | None = None, "
              "target_lengths: numpy.typing.NDArray[numpy.int64] | None = None) -> "
              "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]"),
      "Links of whole lines of ``i-j`` points, and their offsets.");
  module.def(
      "format_pharaoh",
      [](const MatrixIn<std::uint32_t>& links, const ArrayIn<std::int64_t>& offsets) {
        const auto all = view_links(links, offsets);
        Buffer<char> text;
        {
          nb::gil_scoped_release release;
          align::format_pharaoh(all, view(offsets), text);
        }
        return nb::str(text.data() == nullptr ? "" : text.data(), text.size());
      },
      "links"_a, "offsets"_a, "One line of ``i-j`` points for each sentence.");
}

void bind_aligner(nb::module_& module) {
  module.attr("UNKNOWN_WORDS") = align::kUnknownWords;
  nb::class_<SharedTable>(module, "LexicalTable", "Lexical translation probabilities of both directions.")
      .def(nb::init<ArrayIn<std::uint64_t>, ArrayIn<WordId>, MatrixIn<float>>(), "row_offsets"_a, "columns"_a,
           "probabilities"_a)
      .def("__len__", [](const SharedTable& self) { return self.table.entries(); })
      .def(
          "forward",
          [](const SharedTable& self, WordId source, WordId target) {
            return self.table.forward(source, target);
          },
          "source"_a, "target"_a, "p(target | source), 0 for a pair not in the table.")
      .def(
          "backward",
          [](const SharedTable& self, WordId source, WordId target) {
            return self.table.backward(source, target);
          },
          "source"_a, "target"_a, "p(source | target), 0 for a pair not in the table.");
  nb::class_<SharedAligner>(module, "Aligner", "A trained alignment model.")
      .def(nb::init<const SharedTable&, ArrayIn<float>, ArrayIn<float>, const align::AlignmentParameters&>(),
           "table"_a, "source_null"_a, "target_null"_a, "parameters"_a)
      .def(
          "align",
          [](const SharedAligner& self, const SharedBitext& bitext, std::size_t begin, std::size_t end,
             align::Symmetrization method, double threshold, std::size_t max_length, std::size_t threads) {
            return align(self, bitext, begin, end, {method, threshold, max_length}, threads);
          },
          "bitext"_a, "begin"_a, "end"_a, nb::kw_only(), "method"_a, "threshold"_a, "max_length"_a,
          "threads"_a,
          nb::sig("def align(self, bitext: Bitext, begin: int, end: int, *, method: Symmetrization, "
                  "threshold: float, max_length: int, threads: int) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]"),
          "Links of some pairs, and their offsets.");
}

}  // namespace

void bind_align(nb::module_& module) {
  bind_parameters(module);
  bind_training(module);
  bind_estimation(module);
  bind_links(module);
  bind_aligner(module);
  module.attr("JUMP_REACH") = align::kJumpReach;
  module.def("encode_lines", &encode_lines, "vocabulary"_a, "text"_a, nb::kw_only(), "grow"_a,
             nb::sig("def encode_lines(vocabulary: Vocabulary, text: bytes, *, grow: bool) -> "
                     "tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]"),
             "Word numbers of all lines one after another, and the offset of each line (one more).");
  module.def("hmm_posteriors", &hmm_posteriors, "emission"_a, "null_emission"_a, "jumps"_a, "uniform_jump"_a,
             nb::sig("def hmm_posteriors(emission: numpy.typing.NDArray[numpy.float64], "
                     "null_emission: numpy.typing.NDArray[numpy.float64], "
                     "jumps: numpy.typing.NDArray[numpy.float64], uniform_jump: float) -> tuple[float, "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
             "Log likelihood, posteriors, null posteriors, jumps taken, jumps possible / normalizer.");
  module.def("position_normalizer", &align::position_normalizer, "j"_a, "given"_a, "generated"_a, "tension"_a,
             "Sum of the fast model's position weights for word j, counted from 1.");
  module.def("expected_distance", &align::expected_distance, "j"_a, "given"_a, "generated"_a, "tension"_a,
             "Expected distance from the diagonal of word j's partner.");
  module.def(
      "position_prior",
      [](std::size_t j, std::size_t given, std::size_t generated, double tension) {
        Buffer<double> prior;
        prior.resize(given);
        align::position_prior<double>(j, generated, tension, 1.0, {prior.data(), given});
        return to_numpy(std::move(prior));
      },
      "j"_a, "given"_a, "generated"_a, "tension"_a,
      nb::sig("def position_prior(j: int, given: int, generated: int, tension: float) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The fast model's distribution of word j's partner.");
}

}  // namespace isogloss::bindings
