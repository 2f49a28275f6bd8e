#include "bindings/wording.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <unordered_map>

#include "base/hash.hpp"

namespace isogloss::bindings {

namespace nb = nanobind;
using namespace search;

std::string Wording::text(const SearchInput& input, WordId word) const {
  static constexpr std::string_view kPlace = "{word}";
  if (word < kSourceWord) return std::string(target_words_.word(word));
  if (word >= kFixedWord) return input.fixed[word - kFixedWord].text;
  const std::string& unknown = input.words[word - kSourceWord];
  if (unknown_mark_.empty()) return unknown;
  const std::size_t at = unknown_mark_.find(kPlace);
  return at == unknown_mark_.npos ? unknown_mark_ : std::string(unknown_mark_).replace(at, kPlace.size(), unknown);
}

std::uint64_t Wording::reading(const SearchInput& input, WordId word) const {
  if (word < kSourceWord) return word;
  const std::string written = text(input, word);
  const WordId known = target_words_.find(written);
  return known != kNoWord ? known : hash64(written) | std::uint64_t{1} << 63;
}

std::vector<std::uint32_t> Wording::numbers(const SearchInput& input, std::span<const WordId> words,
                                            std::vector<std::string>* texts) const {
  std::vector<std::uint32_t> out;
  std::unordered_map<std::uint64_t, std::uint32_t> found;
  for (WordId word : words) {
    const auto [at, fresh] = found.try_emplace(reading(input, word), static_cast<std::uint32_t>(found.size()));
    if (fresh && texts != nullptr) texts->push_back(text(input, word));
    out.push_back(at->second);
  }
  return out;
}

nb::tuple Wording::step(const SearchInput& input, const DerivationStep& step) const {
  static constexpr const char* kKinds[] = {"rule", "glue_phrase_gap", "glue_gap_phrase", "glue_gaps",
                                           "glue_gaps_swapped"};
  const auto span = [&](Span s) { return nb::make_tuple(input.first_word[s.begin], input.first_word[s.end]); };
  nb::list gaps;
  for (const Span& gap : step.gaps) gaps.append(span(gap));
  nb::list source;
  for (WordId symbol : step.symbols)
    source.append(symbol == kGap ? nb::object(nb::none()) : nb::cast(source_words_.word(symbol)));
  const char* origin = is_from_table(step.rule) ? "table" : step.rule == kFixed ? "fixed" : "unknown";
  return nb::make_tuple(origin, kKinds[static_cast<std::size_t>(step.kind)], source, span(step.span), span(step.own),
                        gaps, nb::make_tuple(step.target_begin, step.target_end));
}

}  // namespace isogloss::bindings
