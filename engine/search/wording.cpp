#include "search/wording.hpp"

#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"

namespace isogloss::search {

std::string Wording::text(const Input& input, WordId word) const {
  static constexpr std::string_view kPlace = "{word}";
  if (word < kSourceWord) return std::string(target_words_.word(word));
  if (word >= kFixedWord) return input.fixed[word - kFixedWord].text;
  const std::string& unknown = input.words[word - kSourceWord];
  if (unknown_mark_.empty()) return unknown;
  const std::size_t at = unknown_mark_.find(kPlace);
  return at == unknown_mark_.npos ? unknown_mark_ : std::string(unknown_mark_).replace(at, kPlace.size(), unknown);
}

std::uint64_t Wording::reading(const Input& input, WordId word) const {
  if (word < kSourceWord) return word;
  const std::string written = text(input, word);
  const WordId known = target_words_.find(written);
  return known != kNoWord ? known : hash64(written) | std::uint64_t{1} << 63;
}

std::vector<std::uint32_t> Wording::numbers(const Input& input, std::span<const WordId> words,
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

}  // namespace isogloss::search
