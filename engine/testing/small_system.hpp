// A rule table, a language model and sparse features small enough to be searched exhaustively, for tests of decoders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "features/scorer.hpp"
#include "grammar/rule_text.hpp"
#include "grammar/table.hpp"
#include "grammar/table_writer.hpp"
#include "lm/arpa_reader.hpp"
#include "search/decoder.hpp"

namespace isogloss::testing {

using grammar::build_slots;
using grammar::kGap;
using grammar::parse_rule;
using grammar::ParsedRule;
using grammar::RuleFormat;
using grammar::RuleTable;
using grammar::Shape;
using grammar::Slots;
using grammar::TableArrays;
using grammar::TableWriter;
using text::Vocabulary;

/// A language model and what it is a view of.
class SmallLanguageModel {
 public:
  explicit SmallLanguageModel(const std::string& arpa) {
    reader_.feed(arpa);
    reader_.finish();
    index_ = lm::index_words(words_);
    lm::ModelArrays arrays;
    arrays.order = reader_.order();
    arrays.begin = reader_.special().begin;
    arrays.end = reader_.special().end;
    arrays.unknown = reader_.special().unknown;
    arrays.unigrams = {reader_.unigrams().data(), reader_.unigrams().size()};
    for (unsigned order = 2; order < reader_.order(); ++order)
      arrays.middle[order - 2] = reader_.middle(order).buckets();
    if (reader_.order() > 1) arrays.longest = reader_.longest().buckets();
    arrays.words = index_.buckets();
    model_.emplace(arrays);
  }
  SmallLanguageModel(const SmallLanguageModel&) = delete;
  SmallLanguageModel& operator=(const SmallLanguageModel&) = delete;

  const lm::Model& model() const { return *model_; }

 private:
  Vocabulary words_;
  lm::ArpaReader reader_{words_};
  lm::TableBuilder<lm::WordBucket> index_{0, lm::kWordLoad};
  std::optional<lm::Model> model_;
};

/// Rules from lines of a Hiero grammar, with one score each; their orientation probabilities are drawn.
class SmallTable {
 public:
  SmallTable(const std::vector<std::string>& lines, Vocabulary& source_words, Vocabulary& target_words,
             std::mt19937& random) {
    std::map<std::vector<std::uint32_t>, std::vector<ParsedRule>> sides;  // in the order of the table
    std::set<std::pair<std::vector<WordId>, std::pair<std::vector<WordId>, Shape>>> seen;
    for (const std::string& line : lines) {
      ParsedRule rule;
      parse_rule(line, 1, RuleFormat::hiero, source_words, target_words, rule);
      if (!seen.insert({rule.source, {rule.target, rule.shape}}).second) continue;
      std::vector<std::uint32_t> key;
      for (WordId symbol : rule.source) key.push_back(symbol == kGap ? 0 : symbol + 1);  // gaps come first
      sides[key].push_back(std::move(rule));
    }
    std::map<std::vector<WordId>, std::uint32_t> phrases;
    std::uniform_real_distribution<float> probability(0.05f, 0.9f);
    TableWriter writer;
    for (auto& [key, rules] : sides) {
      writer.add_side(rules.front().source);
      std::stable_sort(rules.begin(), rules.end(),
                       [](const ParsedRule& a, const ParsedRule& b) { return a.values[0] > b.values[0]; });
      for (const ParsedRule& rule : rules) {
        const auto [phrase, fresh] = phrases.try_emplace(rule.target, static_cast<std::uint32_t>(phrases.size()));
        if (fresh) {
          words_.insert(words_.end(), rule.target.begin(), rule.target.end());
          phrase_ends_.push_back(static_cast<std::uint32_t>(words_.size()));
        }
        const float score[] = {static_cast<float>(rule.values[0])};
        float orientation[TableArrays::kOrientations];
        for (float& one : orientation) one = std::log(probability(random));
        writer.add_rule(phrase->second, rule.shape, rule.links, score, {}, orientation);
      }
    }
    writer.finish();
    rows_ = writer.take();
    slots_ = build_slots({rows_.nodes.data(), rows_.nodes.size()});
  }
  SmallTable(const SmallTable&) = delete;
  SmallTable& operator=(const SmallTable&) = delete;

  /// For vocabularies that grow no more.
  void finish(const Vocabulary& source_words, const Vocabulary& target_words) {
    TableArrays arrays;
    arrays.nodes = {rows_.nodes.data(), rows_.nodes.size()};
    arrays.slots = {slots_.table.data(), slots_.table.size()};
    arrays.rules = {rows_.rules.data(), rows_.rules.size()};
    arrays.links = {rows_.links.data(), rows_.links.size()};
    arrays.phrase_ends = phrase_ends_;
    arrays.words = words_;
    arrays.scores = {rows_.scores.data(), rows_.scores.size()};
    arrays.orientation = {rows_.orientation.data(), rows_.orientation.size()};
    arrays.columns = 1;
    arrays.source_words = source_words.size();
    arrays.target_words = target_words.size();
    arrays.longest_probe = slots_.longest_probe;
    table_.emplace(arrays);
  }
  const RuleTable& table() const { return *table_; }

 private:
  TableWriter::Rows rows_;
  Slots slots_;
  std::vector<std::uint32_t> phrase_ends_;
  std::vector<WordId> words_;
  std::optional<RuleTable> table_;
};

/// All of it, from rules and a language model as text. `overlay` has rules that came later.
class SmallSystem {
 public:
  SmallSystem(const std::vector<std::string>& rules, const std::string& arpa, std::uint32_t seed = 1,
              const std::vector<std::string>& overlay = {})
      : random_(seed), language_model_(arpa), rules_(rules, source_words_, target_words_, random_) {
    if (!overlay.empty()) overlay_.emplace(overlay, source_words_, target_words_, random_);
    rules_.finish(source_words_, target_words_);
    if (overlay_) overlay_->finish(source_words_, target_words_);
    std::vector<features::ActiveTemplate> templates;
    for (std::string_view name : features::template_names()) templates.push_back({features::make_template(name)});
    sparse_.emplace(features::Lexicon(source_words_, target_words_, spelling(), spelling()), std::move(templates));
  }

  /// With all templates of sparse features if `with_sparse`.
  std::unique_ptr<search::Decoder> decoder(const search::DecoderOptions& options, bool with_sparse = false) const {
    const search::DecoderModels models{rules_.table(),
                                       {"p"},
                                       source_words_,
                                       target_words_,
                                       language_model_.model(),
                                       overlay_ ? &overlay_->table() : nullptr,
                                       nullptr,
                                       with_sparse ? &*sparse_ : nullptr};
    return std::make_unique<search::Decoder>(models, options);
  }

  const Vocabulary& source_words() const { return source_words_; }
  const RuleTable& table() const { return rules_.table(); }

 private:
  static features::TokenTypes spelling() {
    features::TokenTypes types;
    for (std::string_view name : {features::kSurface, features::kPrefix, features::kDigits}) types.add(name);
    return types;
  }

  std::mt19937 random_;
  Vocabulary source_words_, target_words_;
  SmallLanguageModel language_model_;
  SmallTable rules_;
  std::optional<SmallTable> overlay_;
  std::optional<features::SparseModel> sparse_;
};

/// Rules between the words a b c d and A to F: every word has one, phrases and rules with non-terminals come and go.
inline std::vector<std::string> random_rules(std::mt19937& random, std::size_t count) {
  const auto one_of = [&](const std::string& letters) { return std::string(1, letters[random() % letters.size()]); };
  const auto score = [&] { return " ||| " + std::to_string(-0.01 * static_cast<double>(1 + random() % 300)); };
  std::vector<std::string> rules;
  for (const char* word : {"a", "b", "c"})
    rules.push_back("[X] ||| " + std::string(word) + " ||| " + one_of("ABCDEF") + score() + " ||| 0-0");
  while (rules.size() < count) {
    static const std::string kSources[] = {"w",         "w w",         "w w w",           "w [X,1]",
                                           "[X,1] w",   "w [X,1] w",   "w [X,1] w [X,2]", "[X,1] w [X,2]"};
    const std::string& shape = kSources[random() % std::size(kSources)];
    std::string source, target = one_of("ABCDEF");
    for (char c : shape) source += c == 'w' ? one_of("abc") : std::string(1, c);
    for (std::size_t more = random() % 3; more > 0; --more) target += " " + one_of("ABCDEF");
    const bool one_gap = shape.find("[X,1]") != shape.npos, two_gaps = shape.find("[X,2]") != shape.npos;
    if (two_gaps) {
      target += random() % 2 == 0 ? " [X,1] [X,2]" : " [X,2] [X,1]";
    } else if (one_gap) {
      target += " [X,1]";
    }
    const std::string first_word = source[0] == '[' ? "1" : "0";
    rules.push_back("[X] ||| " + source + " ||| " + target + score() +
                    (random() % 4 == 0 ? " |||" : " ||| " + first_word + "-0"));
  }
  return rules;
}

/// Random probabilities of the words A to F and of some pairs of them.
inline std::string random_arpa(std::mt19937& random) {
  const auto number = [&] { return std::to_string(-0.01 * static_cast<double>(1 + random() % 200)); };
  std::string unigrams, bigrams;
  std::size_t pairs = 0;
  const std::string letters = "ABCDEF";
  for (char first : letters) {
    unigrams += number() + "\t" + first + "\t" + number() + "\n";
    for (char second : letters)
      if (random() % 2 == 0) bigrams += number() + "\t" + first + " " + second + "\n", ++pairs;
  }
  return "\\data\\\nngram 1=9\nngram 2=" + std::to_string(pairs) + "\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.2\n-1\t</s>\n" +
         unigrams + "\n\\2-grams:\n" + bigrams + "\n\\end\\\n";
}

/// A sentence of these words.
inline search::Input sentence(const search::Decoder& decoder, const std::vector<std::string>& words) {
  search::Input input;
  for (const std::string& word : words) decoder.input_maker().add_word(input, word);
  return input;
}

/// What a candidate reads.
inline std::string text_of(const search::Decoder& decoder, const search::TranslatedSentence& found, std::size_t candidate) {
  std::string out;
  for (WordId word : found.words[candidate])
    out += (out.empty() ? "" : " ") + decoder.wording().text(found.kept.input, word);
  return out;
}

}  // namespace isogloss::testing
