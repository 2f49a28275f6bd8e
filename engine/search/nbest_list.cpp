#include "search/nbest_list.hpp"

#include <string>
#include <string_view>

#include "nbest/builder.hpp"

namespace isogloss::search {

using nbest::NbestBuilder;

namespace {

/// An n-best list cannot carry its own field separator: bars are written as in tokenized text.
void add_word(NbestBuilder& builder, std::string_view word) {
  if (word.find("|||") == word.npos) return builder.add_token(word);
  std::string escaped;
  for (char c : word) c == '|' ? escaped.append("&#124;") : escaped.append(1, c);
  builder.add_token(escaped);
}

void add_links(NbestBuilder& builder, const Input& input, const DerivationStep& step) {
  for (const auto& [place, target] : step.links) builder.add_aligned_pair(input.first_word[place], target);
  if (is_from_table(step.rule)) return;
  // Words that were given a translation together: one by one if there are as many, otherwise all to all.
  const std::size_t begin = input.first_word[step.own.begin];
  const std::size_t width = step.rule == kFixed ? input.word_end[step.own.end] - begin : 1;
  const bool one_by_one = width == step.target_end - step.target_begin;
  for (std::uint32_t target = step.target_begin; target < step.target_end; ++target)
    for (std::size_t i = 0; i < width; ++i)
      if (!one_by_one || i == target - step.target_begin) builder.add_aligned_pair(begin + i, target);
}

}  // namespace

NbestColumns nbest_list(const Decoder& decoder, std::span<const TranslatedSentence> sentences) {
  const std::vector<std::string>& names = decoder.feature_names();
  NbestBuilder builder;
  for (std::size_t number = 0; number < sentences.size(); ++number) {
    const TranslatedSentence& sentence = sentences[number];
    for (std::size_t i = 0; i < sentence.candidates(); ++i) {
      builder.begin(static_cast<std::int64_t>(number));
      for (WordId word : sentence.words[i]) add_word(builder, decoder.wording().text(sentence.kept.input, word));
      const double* row = sentence.features.data() + i * names.size();
      for (std::size_t k = 0; k < names.size(); ++k) builder.add_dense(names[k], {row + k, 1});
      builder.set_score(sentence.scores[i]);
      if (!sentence.derivations.empty())
        for (const DerivationStep& step : sentence.derivations[i]) add_links(builder, sentence.kept.input, step);
      builder.end();
    }
  }
  return builder.finish();
}

}  // namespace isogloss::search
