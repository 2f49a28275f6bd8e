#include "search/batch.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "search/forced.hpp"
#include "search/prefix.hpp"

namespace isogloss::search {
namespace {

/// References with their words numbered, and those words as the options of a search have them.
References number_words(const BatchConstraint::Texts& texts, const Input& input, const Wording& wording) {
  References out;
  std::map<std::string, WordId, std::less<>> numbers;
  for (const std::vector<std::string>& text : texts) {
    std::vector<WordId>& words = out.texts.emplace_back();
    for (const std::string& word : text)
      words.push_back(numbers.try_emplace(word, static_cast<WordId>(numbers.size() + 1)).first->second);
  }
  for (const auto& [word, number] : numbers)
    if (const WordId known = wording.target_words().find(word); known != kNoWord) out.numbers[known] = number;
  const auto add = [&](WordId word) {
    if (const auto found = numbers.find(wording.text(input, word)); found != numbers.end())
      out.numbers[word] = found->second;
  };
  for (std::size_t i = 0; i < input.words.size(); ++i) add(kSourceWord + static_cast<WordId>(i));
  for (std::size_t i = 0; i < input.fixed.size(); ++i) add(kFixedWord + static_cast<WordId>(i));
  return out;
}

/// Typed words with their numbers. Words that begin as a half-typed one does, and have no number yet, get one.
TypedWords typed_words(References& numbered, const BatchConstraint::Texts& texts, const Input& input,
                       const Wording& wording) {
  TypedWords out;
  if (!numbered.texts.empty()) out.words = numbered.texts[0];
  if (texts.size() > 2 && !texts[2].empty()) {
    WordId last = 0;
    for (WordId word : numbered.texts[2]) last = std::max(last, word);
    out.forbidden.assign(last + 1, false);
    for (WordId word : numbered.texts[2]) out.forbidden[word] = true;
  }
  if (texts.size() < 2 || texts[1].empty()) return out;
  const std::vector<std::string>& halves = texts[1];
  out.words.push_back(numbered.texts[1][0]);
  out.half_typed = true;
  WordId last = 0;
  for (const std::vector<WordId>& words : numbered.texts)
    for (WordId word : words) last = std::max(last, word);
  const WordId alike = last + 1;
  out.begin_alike.assign(alike + 1, false);
  out.begin_alike[alike] = true;
  const auto look_at = [&](WordId word, std::string_view reads) {
    if (std::ranges::none_of(halves, [&](const std::string& half) { return reads.starts_with(half); })) return;
    const auto [at, fresh] = numbered.numbers.try_emplace(word, alike);
    if (!fresh) out.begin_alike[at->second] = true;
  };
  const Vocabulary& target = wording.target_words();
  for (WordId word = 0; word < target.size(); ++word) look_at(word, target.word(word));
  for (std::size_t i = 0; i < input.words.size(); ++i) {
    const WordId word = kSourceWord + static_cast<WordId>(i);
    look_at(word, wording.text(input, word));
  }
  for (std::size_t i = 0; i < input.fixed.size(); ++i) {
    const WordId word = kFixedWord + static_cast<WordId>(i);
    look_at(word, wording.text(input, word));
  }
  return out;
}

}  // namespace

std::unique_ptr<Constraint> BatchConstraint::of(std::size_t sentence, const Input& input,
                                                const Wording& wording) const {
  References numbered = number_words(references[sentence], input, wording);
  if (begun) {
    TypedWords typed = typed_words(numbered, references[sentence], input, wording);
    typed.most_edits = most_edits;
    typed.edit_cost = edit_cost;
    return std::make_unique<PrefixConstraint>(std::move(numbered), std::move(typed));
  }
  if (forced) return std::make_unique<ForcedConstraint>(std::move(numbered));
  return std::make_unique<OracleConstraint>(std::move(numbered), bleu);
}

std::vector<features::SparseStep> KeptSearch::sparse_steps(std::int64_t candidate) const {
  if (candidate < 0 || static_cast<std::size_t>(candidate) >= paths.size())
    throw std::out_of_range("no such candidate");
  std::vector<features::SparseStep> steps;
  search->sparse_steps(paths[static_cast<std::size_t>(candidate)], steps);
  return steps;
}

features::SparseScorer& KeptSearch::sparse() const {
  if (search->sparse() == nullptr) throw std::invalid_argument("this search has no sparse features");
  return *search->sparse();
}

std::vector<std::uint32_t> KeptSearch::most_probable_options() const {
  const Options& options = search->options();
  std::vector<std::uint32_t> chosen;
  for (const Match& match : options.matches) {
    if (match.gap_count > 0 || match.options_begin == match.options_end) continue;
    // The rules of a source side are numbered by falling probability.
    std::uint32_t best = match.options_begin;
    for (std::uint32_t option = best; option < match.options_end; ++option)
      if (options.options[option].rule < options.options[best].rule) best = option;
    if (is_from_table(options.options[best].rule)) chosen.push_back(best);
  }
  return chosen;
}

}  // namespace isogloss::search
