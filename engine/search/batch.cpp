#include "search/batch.hpp"

#include <functional>
#include <map>

#include "search/forced.hpp"

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

}  // namespace

std::unique_ptr<Constraint> BatchConstraint::of(std::size_t sentence, const Input& input,
                                                const Wording& wording) const {
  References numbered = number_words(references[sentence], input, wording);
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
