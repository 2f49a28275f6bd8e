#include <cmath>
#include <limits>
#include <vector>

#include "align/aligner.hpp"
#include "align/cooccurrence.hpp"
#include "align/hmm.hpp"
#include "align/lexical_table.hpp"
#include "align/links.hpp"
#include "align/position_prior.hpp"
#include "align/trainer.hpp"
#include "base/error.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::align;

namespace {

/// Pairs in which target word w translates source word w, in the other order; one is empty, one too long.
struct ToyCorpus {
  ToyCorpus() {
    for (std::uint32_t n = 0; n < 200; ++n) {
      const std::uint32_t length = n == 7 ? 0 : n == 9 ? 40 : 1 + n % 5;
      for (std::uint32_t i = 0; i < length; ++i) source.push_back((n * 7 + i * i * 3) % 11);
      for (std::uint32_t i = length; i-- > 0;) target.push_back((n * 7 + i * i * 3) % 11);
      offsets.push_back(static_cast<std::int64_t>(source.size()));
    }
  }
  Bitext bitext() const { return {source, offsets, target, offsets}; }

  std::vector<WordId> source, target;
  std::vector<std::int64_t> offsets{0};
};

AlignmentTrainer::Lexicon train(const Cooccurrence& table, AlignmentModelType type, std::size_t threads,
                                AlignmentParameters& learned) {
  AlignmentParameters parameters;
  parameters.type = type;
  AlignmentTrainer trainer(table, parameters, true);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t begin = 0; begin < table.bitext().pairs(); begin += 70)
      trainer.expect(begin, begin + 70, threads);
    trainer.maximize({0.01, 1.0}, threads);
  }
  learned = trainer.parameters();
  return trainer.lexicon(1e-4);
}

}  // namespace

TEST("a lexical table finds its entries and nothing else") {
  const std::vector<std::uint64_t> rows{0, 2, 2, 3};
  const std::vector<WordId> columns{1, 5, 0};
  const std::vector<float> probabilities{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  const LexicalTable table(rows, columns, probabilities);
  CHECK_EQUAL(table.forward(0, 5), 0.3f);
  CHECK_EQUAL(table.backward(WordId{2}, 0), 0.6f);
  CHECK(!table.find(1, 0));
  CHECK(!table.find(0, 6));
  CHECK(!table.find(3, 0));
  CHECK(!table.find(kNoWord, kNoWord));
  const std::vector<std::uint64_t> falling{0, 3, 2, 3}, wide{0, 4};
  CHECK_THROWS(std::invalid_argument, "row offsets", LexicalTable(falling, columns, probabilities));
  CHECK_THROWS(std::invalid_argument, "row offsets", LexicalTable(wide, columns, probabilities));
  CHECK_THROWS(std::invalid_argument, "two probabilities",
               LexicalTable(rows, columns, std::span(probabilities).first(5)));
}

TEST("an HMM of one word and one position is a product") {
  const JumpTable<double> jumps(initial_jumps(), 0.25, 1);
  ForwardBackward<double> chain;
  std::vector<double> emission(ForwardBackward<double>::stride(1), 0.0);
  emission[0] = 0.5;
  const double null = 0.125;
  const double log_likelihood = chain.run(1, 1, emission.data(), &null, jumps);
  // From the start: to position 0 (a jump of 1) or past it to the end (2); from position 0: stay or end.
  const JumpWeights w = initial_jumps();
  const auto jump = [&](int width, int other) {
    const double a = w[static_cast<std::size_t>(width + kJumpReach)];
    const double b = w[static_cast<std::size_t>(other + kJumpReach)];
    return 0.75 * a / (a + b) + 0.25 / 2;
  };
  const double linked = jump(1, 2) * 0.5 * jump(1, 0), unlinked = 0.125 * jump(2, 1);
  CHECK_NEAR(std::exp(log_likelihood), linked + unlinked, 1e-12);
  CHECK_NEAR(chain.posterior(0)[0], linked / (linked + unlinked), 1e-12);
  CHECK_NEAR(chain.null_posterior(0), unlinked / (linked + unlinked), 1e-12);
}

TEST("jump weights stay positive and sum to one") {
  JumpCounts counts;
  counts.taken[3] = 5, counts.possible[3] = 2, counts.possible[4] = 1;
  const JumpWeights better = improve_jumps(initial_jumps(), counts, 0);
  double sum = 0;
  for (const double weight : better) {
    CHECK(weight > 0);
    sum += weight;
  }
  CHECK_NEAR(sum, 1, 1e-6);
  CHECK(better[3] > better[4]);
}

TEST("the best tension explains the observed distance") {
  std::vector<PositionMass> masses;
  for (std::size_t j = 1; j <= 9; ++j) masses.push_back({j, 7, 9, 0.5 + static_cast<double>(j)});
  double observed = 0;
  for (const PositionMass& at : masses)
    observed += at.mass * expected_distance(at.j, at.given, at.generated, 3.5);
  CHECK_NEAR(best_tension(masses, observed), 3.5, 1e-6);
  CHECK_NEAR(best_tension(masses, 0), 50, 1e-9);
  CHECK_NEAR(best_tension(masses, 1e9), 0.01, 1e-9);
}

TEST("training does not depend on the number of threads and learns") {
  const ToyCorpus corpus;
  for (const auto type : {AlignmentModelType::kModel1, AlignmentModelType::kFast, AlignmentModelType::kHmm}) {
    Cooccurrence table(corpus.bitext(), 11, 11, 20);
    while (!table.build(100, 3)) {
    }
    AlignmentParameters first_parameters, parameters;
    const auto first = train(table, type, 1, first_parameters);
    for (const std::size_t threads : {2u, 5u}) {
      const auto again = train(table, type, threads, parameters);
      CHECK(std::equal(first.columns.begin(), first.columns.end(), again.columns.begin(),
                       again.columns.end()));
      CHECK(std::equal(first.probabilities.begin(), first.probabilities.end(), again.probabilities.begin(),
                       again.probabilities.end()));
      CHECK(parameters.directions[0].jumps == first_parameters.directions[0].jumps);
      CHECK_EQUAL(parameters.directions[1].tension, first_parameters.directions[1].tension);
    }
    const LexicalTable lexicon({first.row_offsets.data(), first.row_offsets.size()},
                               {first.columns.data(), first.columns.size()},
                               {first.probabilities.data(), first.probabilities.size()});
    for (WordId word = 0; word < 11; ++word) CHECK(lexicon.forward(word, word) > 0.4f);
    const std::vector<float> null(11, 1.0f / 11);
    const Aligner aligner(lexicon, null, null, parameters);
    Buffer<Link> links;
    Buffer<std::int64_t> offsets;
    aligner.align(corpus.bitext(), 0, 200, {Symmetrization::kGrowDiagFinalAnd, 0.3, 20}, 2, links, offsets);
    CHECK_EQUAL(offsets.size(), 200u);
    CHECK_EQUAL(offsets[7], offsets[6]);
    CHECK_EQUAL(offsets[9], offsets[8]);
    CHECK(links.size() > 400);
  }
}

TEST("words outside the model are aligned without looking outside its arrays") {
  const std::vector<std::uint64_t> rows{0, 1};
  const std::vector<WordId> columns{0};
  const std::vector<float> probabilities{0.9f, 0.9f}, null{0.01f};
  const Aligner aligner(LexicalTable(rows, columns, probabilities), null, null, AlignmentParameters());
  const std::vector<WordId> source{0, 77, kUnknownWords + 3, kNoWord};
  const std::vector<WordId> target{kUnknownWords + 3, 0, 5, kNoWord};
  const std::vector<std::int64_t> ends{0, 4};
  Buffer<Link> links;
  Buffer<std::int64_t> offsets;
  const AlignOptions options{Symmetrization::kIntersection, 0.3, 10};
  aligner.align({source, ends, target, ends}, 0, 1, options, 1, links, offsets);
  CHECK(std::find(links.begin(), links.end(), Link{0, 1}) != links.end());
  CHECK(std::find(links.begin(), links.end(), Link{2, 0}) != links.end());
  CHECK_THROWS(std::invalid_argument, "no such sentence pairs",
               aligner.align({source, ends, target, ends}, 1, 2, {}, 1, links, offsets));
}

TEST("alignment points are read with their lines and bounds") {
  Buffer<Link> links;
  Buffer<std::int64_t> offsets;
  parse_pharaoh("0-0 1-12\n\n3-4\n", 1, std::nullopt, links, offsets);
  CHECK_EQUAL(links.size(), 3u);
  CHECK_EQUAL(offsets.size(), 3u);
  CHECK_EQUAL(links[1].target, 12u);
  Buffer<char> text;
  const std::vector<std::int64_t> all{0, 2, 2, 3};
  format_pharaoh({links.data(), links.size()}, all, text);
  CHECK_EQUAL(std::string_view(text.data(), text.size()), "0-0 1-12\n\n3-4\n");
  CHECK_THROWS(LineError, "'1-' is not an alignment point",
               parse_pharaoh("0-0\n1-", 5, std::nullopt, links, offsets));
  const std::vector<std::int64_t> lengths{2};
  CHECK_THROWS(LineError, "outside the source sentence of 2 words",
               parse_pharaoh("2-0", 1, SentenceLengths{lengths, lengths}, links, offsets));
  CHECK_THROWS(LineError, "more lines",
               parse_pharaoh("\n\n", 1, SentenceLengths{lengths, lengths}, links, offsets));
}

TEST("two directions become one, and absurd positions are refused") {
  const std::vector<Link> forward{{0, 0}, {1, 1}}, backward{{0, 0}, {2, 1}};
  const std::vector<Link> absurd{{0xffffffffu, 0xffffffffu}};
  const std::vector<std::int64_t> two{0, 2}, one{0, 1};
  Buffer<Link> links;
  Buffer<std::int64_t> offsets;
  symmetrize(forward, two, backward, two, Symmetrization::kIntersection, links, offsets);
  CHECK_EQUAL(links.size(), 1u);
  CHECK_EQUAL(offsets[0], 1);
  symmetrize(forward, two, backward, two, Symmetrization::kGrowDiagFinalAnd, links, offsets);
  CHECK_EQUAL(links.size(), 4u);
  CHECK_THROWS(std::invalid_argument, "position",
               symmetrize(absurd, one, backward, two, Symmetrization::kUnion, links, offsets));
}
