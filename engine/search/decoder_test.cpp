#include "search/decoder.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "search/nbest_list.hpp"
#include "search/posteriors.hpp"
#include "testing/small_system.hpp"
#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::search;
using namespace isogloss::testing;

namespace {

DecoderOptions exhaustive(bool hierarchical) {
  DecoderOptions options;
  options.search.matches.hierarchical = hierarchical;
  options.search.collector.max_options = options.search.collector.max_scanned = 0;
  options.search.beam.beam_size = options.search.beam.pop_limit = 0;
  options.search.beam.diversity = false;
  return options;
}

DecoderOptions random_options(std::mt19937& random) {
  DecoderOptions options;
  SearchOptions& search = options.search;
  search.matches.hierarchical = random() % 2 == 0;
  search.matches.gap_rules = random() % 4 != 0;
  search.matches.reordering_glue = random() % 4 != 0;
  search.matches.distortion_limit = random() % 5;
  search.collector.max_span = 1 + random() % 8;
  search.collector.max_options = random() % 4;
  search.collector.drop_unknown = random() % 4 == 0;
  search.beam.beam_size = random() % 20;
  search.beam.pop_limit = 1 + random() % 50;
  search.beam.threshold = random() % 3 == 0 ? 2.0f : 0.0f;
  search.beam.diversity = random() % 2 == 0;
  search.beam.phrase_order = static_cast<PhraseOrder>(random() % 3);
  if (random() % 4 == 0) options.unknown_mark = "<{word}>";
  options.with_offers = random() % 2 == 0;
  return options;
}

std::vector<double> random_weights(std::mt19937& random, const Decoder& decoder, bool orientation) {
  std::vector<double> weights;
  for (const std::string& name : decoder.feature_names()) {
    const bool of_orientation = name.starts_with("previous_") || name.starts_with("next_");
    weights.push_back(of_orientation && !orientation ? 0.0 : 0.01 * static_cast<double>(random() % 200) - 0.5);
  }
  return weights;
}

/// A sentence, sometimes with an unknown word or a given translation, or a lattice.
Input random_input(std::mt19937& random, const Decoder& decoder) {
  const std::vector<std::string> words{"a", "b", "c", "unheard"};
  const auto word = [&] { return words[random() % (random() % 4 == 0 ? 4 : 3)]; };
  const InputMaker& maker = decoder.input_maker();
  const std::size_t length = random() % 7;
  if (random() % 3 == 0) {
    Input lattice = maker.lattice(length + 1);
    for (std::size_t place = 0; place < length; ++place) {
      maker.add_arc(lattice, place, place + 1, word(), -0.1f);
      if (random() % 3 == 0) maker.add_arc(lattice, place, place + 1, word(), -0.2f);
      if (random() % 3 == 0 && place + 2 <= length) maker.add_arc(lattice, place, place + 2, word(), -0.3f);
    }
    return lattice;
  }
  Input input;
  for (std::size_t i = 0; i < length; ++i) {
    if (random() % 5 == 0) {
      const std::vector<std::string> given{"A", "new|||word"}, source{"some", "name"};
      maker.add_fixed(input, std::span(source).first(1 + random() % 2), std::span(given).first(random() % 3));
    } else if (random() % 5 == 0) {
      std::vector<Offer> offers{{{word()}, {}, ArcKind::kRelated, -0.2f}, {{}, {"A", "new"}, ArcKind::kDictionary, -1.0f}};
      if (random() % 2 == 0) offers.push_back({{"a", "b", word()}, {}, ArcKind::kSplit, -0.6f});
      maker.add_offered(input, word(), offers);
    } else {
      maker.add_word(input, word());
    }
  }
  return input;
}

/// Weights for a random part of the sparse features that come up in these searches.
void learn(std::mt19937& random, const std::vector<TranslatedSentence>& found, features::LearnedTable& learned) {
  std::vector<features::Firing> firings;
  for (const TranslatedSentence& one : found)
    for (std::size_t i = 0; i < one.candidates(); ++i) {
      one.kept.sparse().features(one.kept.sparse_steps(static_cast<std::int64_t>(i)), firings);
      learned.change([&](features::WeightTable& table) {
        for (const features::Firing& firing : firings)
          if (random() % 3 == 0) table.add(firing.feature, 0.01f * static_cast<float>(random() % 100) - 0.5f);
      });
    }
}

/// That candidates come best first and have the score that weights and features give.
void check(const std::vector<TranslatedSentence>& found, const std::vector<double>& weights,
           const features::PinnedWeights* sparse) {
  std::vector<features::Firing> firings;
  for (const TranslatedSentence& one : found)
    for (std::size_t i = 0; i < one.candidates(); ++i) {
      double score = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) score += weights[k] * one.features[i * weights.size() + k];
      if (sparse != nullptr) {
        one.kept.sparse().features(one.kept.sparse_steps(static_cast<std::int64_t>(i)), firings);
        for (const features::Firing& firing : firings)
          score += static_cast<double>(firing.count * sparse->view.weight(firing.feature));
      }
      CHECK_NEAR(one.scores[i], score, 2e-3);
      if (i > 0) CHECK(one.scores[i] <= one.scores[i - 1] + 1e-4);
    }
}

bool same(const std::vector<TranslatedSentence>& a, const std::vector<TranslatedSentence>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].words != b[i].words || a[i].scores != b[i].scores || a[i].features != b[i].features) return false;
  return true;
}

}  // namespace

TEST("scores are those of the features, in whatever search, with and without sparse features") {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> later =
        seed % 3 == 0 ? random_rules(random, 6) : std::vector<std::string>();
    const SmallSystem system(random_rules(random, 40), random_arpa(random), seed, later);
    const bool with_sparse = seed % 2 == 0;
    const auto decoder = system.decoder(random_options(random), with_sparse);
    std::vector<Input> inputs;
    for (int i = 0; i < 6; ++i) inputs.push_back(random_input(random, *decoder));
    BatchRequest request;
    request.nbest = 1 + random() % 20;
    request.distinct = random() % 2 == 0;
    request.derivations = request.keep = true;
    const std::vector<double> weights = random_weights(random, *decoder, seed % 4 < 2);
    features::LearnedTable learned;
    decoder->set_weights(weights);
    if (with_sparse) {
      learn(random, decoder->translate(inputs, request), learned);
      decoder->set_weights(weights, std::shared_ptr<const features::WeightSource>(&learned, [](const void*) {}));
    }
    const auto found = decoder->translate(inputs, request);
    const features::PinnedWeights pinned = learned.pin();
    check(found, weights, with_sparse ? &pinned : nullptr);
    CHECK_EQUAL(found.size(), inputs.size());
    std::size_t candidates = 0;
    for (const TranslatedSentence& one : found) {
      candidates += one.candidates();
      CHECK(one.candidates() > 0);
      std::set<std::string> texts;
      for (std::size_t i = 0; i < one.candidates(); ++i) texts.insert(text_of(*decoder, one, i));
      if (request.distinct) CHECK_EQUAL(texts.size(), one.candidates());
      const PathSums sums = sum_paths(one.kept.search->graph(), 1.0);
      CHECK(sums.total >= one.scores[0] - 1e-3);
      for (const StepPosterior& step : step_posteriors(one.kept.search->graph(), sums))
        CHECK(step.probability > 0 && step.probability < 1 + 1e-6);
    }
    CHECK_EQUAL(nbest_list(*decoder, found).candidates(), candidates);

    request.threads = 3;
    CHECK(same(found, decoder->translate(inputs, request)));
    request.keep = false;
    CHECK(same(found, decoder->translate(inputs, request)));
  }
}

TEST("a beam finds nothing better than the whole space, which is translated the same by both kinds of list") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const SmallSystem system(random_rules(random, 25), random_arpa(random), seed);
    const auto all = system.decoder(exhaustive(seed % 2 == 0));
    DecoderOptions small = exhaustive(seed % 2 == 0);
    small.search.beam.beam_size = 3;
    small.search.beam.pop_limit = 6;
    const auto beam = system.decoder(small);
    const std::vector<double> weights = random_weights(random, *all, true);
    all->set_weights(weights);
    beam->set_weights(weights);
    const std::vector<Input> inputs{sentence(*all, {"a", "b", "c"}), sentence(*all, {"c", "c", "a"})};
    BatchRequest request;
    request.nbest = 100000;
    const auto distinct = all->translate(inputs, request);
    request.distinct = false;
    const auto derivations = all->translate(inputs, request);
    const auto pruned = beam->translate(inputs, request);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::map<std::string, double> best;  // the first of a text is its best
      for (std::size_t k = 0; k < derivations[i].candidates(); ++k)
        best.try_emplace(text_of(*all, derivations[i], k), derivations[i].scores[k]);
      CHECK_EQUAL(distinct[i].candidates(), best.size());
      for (std::size_t k = 0; k < distinct[i].candidates(); ++k)
        CHECK_NEAR(distinct[i].scores[k], best[text_of(*all, distinct[i], k)], 1e-3);
      CHECK(pruned[i].candidates() > 0 && pruned[i].candidates() <= derivations[i].candidates());
      CHECK(pruned[i].scores[0] <= derivations[i].scores[0] + 1e-3);
      CHECK(pruned[i].statistics.hypotheses <= derivations[i].statistics.hypotheses);
    }
  }
}

TEST("after its deadline a sentence is finished quickly, but finished") {
  std::mt19937 random(3);
  const SmallSystem system(random_rules(random, 40), random_arpa(random));
  const auto decoder = system.decoder({});
  decoder->set_weights(random_weights(random, *decoder, true));
  std::vector<std::string> words;
  for (int i = 0; i < 40; ++i) words.push_back(std::string(1, "abc"[random() % 3]));
  BatchRequest request;
  request.nbest = 50;
  const auto usual = decoder->translate({sentence(*decoder, words)}, request);
  request.time_limits = {1e-9};
  const auto hurried = decoder->translate({sentence(*decoder, words)}, request);
  CHECK_EQUAL(usual[0].candidates(), 50u);
  CHECK_EQUAL(hurried[0].candidates(), 1u);
  CHECK(hurried[0].statistics.hypotheses < usual[0].statistics.hypotheses);
  request.time_limits = {1.0, 1.0};
  CHECK_THROWS(std::invalid_argument, "one time limit", decoder->translate({sentence(*decoder, words)}, request));
}

TEST("where the limits leave nothing, there is a translation from left to right") {
  std::mt19937 random(5);
  const std::vector<std::string> rules{"[X] ||| a ||| A ||| -1 ||| 0-0", "[X] ||| b ||| B ||| -1 ||| 0-0",
                                       "[X] ||| c ||| C ||| -1 ||| 0-0"};
  const SmallSystem system(rules, random_arpa(random));
  const auto decoder = system.decoder({});
  std::vector<double> weights;
  for (const std::string& name : decoder->feature_names()) weights.push_back(name.starts_with("glue_") ? -3e38 : 0.1);
  decoder->set_weights(weights);
  const std::vector<Input> inputs{sentence(*decoder, {"a", "b", "c", "b", "a"}), sentence(*decoder, {"a"})};
  BatchRequest request;
  CHECK_EQUAL(decoder->translate(inputs, request)[0].candidates(), 0u);
  request.fallback = true;
  const auto found = decoder->translate(inputs, request);
  CHECK_EQUAL(text_of(*decoder, found[0], 0), std::string("A B C B A"));
  CHECK_EQUAL(text_of(*decoder, found[1], 0), std::string("A"));
}

TEST("weights that are no numbers are refused, and so are those that give such scores") {
  std::mt19937 random(6);
  const SmallSystem system(random_rules(random, 10), random_arpa(random));
  const auto decoder = system.decoder({});
  std::vector<double> weights(decoder->feature_names().size(), 0.0);
  weights[0] = HUGE_VAL;
  CHECK_THROWS(std::invalid_argument, "not a finite number", decoder->set_weights(weights));
  weights.pop_back();
  CHECK_THROWS(std::invalid_argument, "features", decoder->set_weights(weights));
  BatchRequest request;
  request.fallback = true;
  for (double huge : {3e38, -3e38}) {
    weights.clear();
    for (const std::string& name : decoder->feature_names()) weights.push_back(name == "words" ? huge : 0.0);
    decoder->set_weights(weights);
    const std::vector<Input> inputs{sentence(*decoder, {"a", "b", "c"}), sentence(*decoder, {"c", "b", "a", "c"})};
    CHECK_THROWS(ScoreError, "not a finite number", decoder->translate(inputs, request));
  }
  weights.assign(decoder->feature_names().size(), 0.0);
  CHECK_THROWS(std::invalid_argument, "no sparse features",
               decoder->set_weights(weights, std::make_shared<features::LearnedTable>()));
}

TEST("an n-best list carries unknown words, given translations and alignments") {
  std::mt19937 random(7);
  const SmallSystem system({"[X] ||| a ||| A B ||| -1 ||| 0-1"}, random_arpa(random));
  DecoderOptions options = exhaustive(false);
  options.unknown_mark = "<{word}>";
  options.search.beam.phrase_order = PhraseOrder::kMonotone;
  const auto decoder = system.decoder(options);
  Input input = sentence(*decoder, {"a", "strange"});
  const std::vector<std::string> source{"two", "words"}, given{"C", "x|||y"};
  decoder->input_maker().add_fixed(input, source, given);
  BatchRequest request;
  request.derivations = true;
  const auto found = decoder->translate({input}, request);
  CHECK_EQUAL(text_of(*decoder, found[0], 0), std::string("A B <strange> C x|||y"));
  const NbestColumns list = nbest_list(*decoder, found);
  CHECK_EQUAL(list.candidates(), 1u);
  std::string words, links;
  for (WordId word : list.tokens.values) words += std::string(list.words.word(word)) + " ";
  for (const nbest::AlignedWords& link : list.alignment.values)
    links += std::to_string(link.source) + "-" + std::to_string(link.target) + " ";
  CHECK_EQUAL(words, std::string("A B <strange> C x&#124;&#124;&#124;y "));
  CHECK_EQUAL(links, std::string("0-1 1-2 2-3 3-4 "));
}

TEST("a sentence after a thousand others, under other weights or the same, is translated as if it came first") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const SmallSystem system(random_rules(random, 60), random_arpa(random), seed);
    const bool with_sparse = seed % 2 == 0;
    const DecoderOptions options = random_options(random);
    const auto used = system.decoder(options, with_sparse);
    std::vector<Input> others;
    for (int i = 0; i < 1000; ++i) others.push_back(random_input(random, *used));
    const std::vector<double> weights = random_weights(random, *used, true), changed = random_weights(random, *used, true);
    BatchRequest request;
    request.nbest = 3;
    const auto fresh = [&](const std::vector<double>& with, const Input& input) {
      const auto decoder = system.decoder(options, with_sparse);
      decoder->set_weights(with);
      return decoder->translate({input}, request);
    };
    used->set_weights(weights);
    used->translate(others, request);
    for (int i = 0; i < 5; ++i) {
      // Weights of a sentence's own come and go, and so do others that stay.
      used->set_weights(changed);
      CHECK(same(used->translate({others[i]}, request), fresh(changed, others[i])));
      used->set_weights(weights);
      CHECK(same(used->translate({others[i]}, request), fresh(weights, others[i])));
    }
    used->set_weights(changed);
    used->translate(others, request);
    CHECK(same(used->translate({others[0]}, request), fresh(changed, others[0])));
  }
}

TEST("orientation toward what follows is that of Galley and Manning, or that of phrases") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const SmallSystem system(random_rules(random, 40), random_arpa(random), seed);
    DecoderOptions options = random_options(random);
    options.search.matches.hierarchical = false;
    options.search.blocks_grow = seed % 3 != 0;
    const auto decoder = system.decoder(options);
    std::vector<double> weights = random_weights(random, *decoder, true);
    const std::vector<std::string>& names = decoder->feature_names();
    if (seed % 4 == 0)  // features are there whatever they weigh
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].starts_with("next_")) weights[i] = 0;
    decoder->set_weights(weights);
    std::vector<std::string> words;
    for (int i = 0; i < 7; ++i) words.push_back(std::string(1, "abc"[random() % 3]));
    BatchRequest request;
    request.nbest = 20;
    request.derivations = true;
    const auto all = decoder->translate({sentence(*decoder, words)}, request);
    const TranslatedSentence& found = all[0];
    const auto next = static_cast<std::size_t>(std::ranges::find(names, "next_monotone") - names.begin());
    for (std::size_t k = 0; k < found.candidates(); ++k) {
      std::vector<bool> covered(words.size() + 2, false);  // word i is at i + 1; the edges are open
      double expected[3] = {0, 0, 0};
      const DerivationStep* last = nullptr;
      const auto score = [&](std::size_t begin, std::size_t end) {
        if (last == nullptr || !is_from_table(last->rule)) return;
        const std::size_t from = last->own.begin, to = last->own.end;
        const bool gap_after = options.search.blocks_grow && begin > to && !covered[to + 1];
        const bool gap_before = options.search.blocks_grow && end < from && !covered[from];
        const std::size_t which = begin == to || gap_after ? 0 : end == from || gap_before ? 1 : 2;
        expected[which] += static_cast<double>(system.table().orientation(last->rule)[3 + which]);
      };
      for (const DerivationStep& step : found.derivations[k]) {
        score(step.own.begin, step.own.end);
        for (std::size_t i = step.own.begin; i < step.own.end; ++i) covered[i + 1] = true;
        last = &step;
      }
      covered.back() = true;
      score(words.size(), words.size());
      for (std::size_t i = 0; i < 3; ++i) CHECK_NEAR(found.features[k * names.size() + next + i], expected[i], 1e-4);
    }
  }
}

TEST("what is offered for a word lies inside its places") {
  std::mt19937 random(1);
  const SmallSystem system(random_rules(random, 25), random_arpa(random), 1);
  const auto decoder = system.decoder({});
  const InputMaker& maker = decoder->input_maker();
  Input input;
  maker.add_word(input, "a");
  const std::vector<Offer> offers{{{"a", "b", "c"}, {}, ArcKind::kSplit, -3.0f}, {{"b", "c"}, {}, ArcKind::kSplit, -1.0f}};
  maker.add_offered(input, "unheard", offers);
  maker.add_word(input, "b");
  CHECK(input.places == 7);
  CHECK(input.first_word == (std::vector<std::size_t>{0, 1, 1, 1, 1, 2, 3}));
  CHECK(input.word_end == (std::vector<std::size_t>{0, 1, 2, 2, 2, 2, 3}));
  const Source source(input.places, input.arcs, input.fixed);
  CHECK(source.distance(0, 6) == 3);
  float sum = 0;
  for (const SourceArc& arc : source.arcs()) sum += arc.score;
  CHECK_NEAR(sum, -4.0, 1e-6);
}
