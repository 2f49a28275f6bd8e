#include "features/given.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::features {
GivenSentence::GivenSentence(const SparseModel& model, std::span<const std::string> words,
                             std::span<const WordId> numbers)
    : model_(model), scorer_(model), length_(words.size()) {
  if (words.size() > 0xffffu) throw std::invalid_argument("the sentence has more than 65,535 words");
  scorer_.set_sentence(words, numbers);
}

const std::vector<SparseStep>& GivenSentence::derivation(const GivenTranslation& translation) {
  steps_.clear();
  const auto target_length = static_cast<std::uint32_t>(translation.words.size());
  if (length_ == 0 || target_length == 0) return steps_;
  if (target_length > 0xffffu || translation.links.size() > 0xffffu)
    throw std::invalid_argument("a translation of more than 65,535 words or links");
  for (WordId word : translation.words)
    if (word >= model_.lexicon.target_words()) throw std::invalid_argument("a word without a number");
  for (const auto& [source, target] : translation.links)
    if (source >= length_ || target >= target_length) throw std::invalid_argument("a link outside the sentence");
  const GivenPhrase whole{0, static_cast<std::uint32_t>(length_ - 1), 0, target_length - 1};
  const std::span<const GivenPhrase> phrases =
      translation.phrases.empty() ? std::span<const GivenPhrase>(&whole, 1) : translation.phrases;
  Block before{0, 0};  // the source words of the phrase before
  blocks_.assign(1, {0, 0});
  for (const GivenPhrase& phrase : phrases) {
    if (phrase.source_first > phrase.source_last || phrase.source_last >= length_ ||
        phrase.target_first > phrase.target_last || phrase.target_last >= target_length)
      throw std::invalid_argument("a phrase outside the sentence");
    const Block block{phrase.source_first, phrase.source_last + 1};
    const Orientation orientation = blocks_.back().end == block.begin   ? Orientation::monotone
                                    : blocks_.back().begin == block.end ? Orientation::swap
                                                                        : Orientation::discontinuous;
    const std::uint8_t side = before.end == block.begin ? 0 : before.begin == block.end ? 1 : 2;
    const int distortion = static_cast<int>(block.begin) - static_cast<int>(before.end);
    steps_.push_back({options_, 0, orientation, distortion, side});
    add_phrase(translation, phrase);
    reduce(block);
    before = block;
  }
  return steps_;
}

void GivenSentence::reduce(Block block) {
  while (!blocks_.empty() && (blocks_.back().end == block.begin || blocks_.back().begin == block.end)) {
    block = {std::min(blocks_.back().begin, block.begin), std::max(blocks_.back().end, block.end)};
    blocks_.pop_back();
  }
  blocks_.push_back(block);
}

void GivenSentence::add_phrase(const GivenTranslation& translation, const GivenPhrase& phrase) {
  source_.clear();
  target_.clear();
  links_.clear();
  for (std::uint32_t i = phrase.source_first; i <= phrase.source_last; ++i) source_.push_back(scorer_.token(i));
  for (std::uint32_t i = phrase.target_first; i <= phrase.target_last; ++i)
    target_.push_back(model_.lexicon.target(translation.words[i]));
  for (const auto& [source, target] : translation.links)
    if (source >= phrase.source_first && source <= phrase.source_last && target >= phrase.target_first &&
        target <= phrase.target_last)
      links_.push_back({static_cast<std::uint16_t>(source - phrase.source_first),
                        static_cast<std::uint16_t>(target - phrase.target_first)});
  const auto order = [](const Link& a, const Link& b) {
    return a.target != b.target ? a.target < b.target : a.source < b.source;
  };
  std::sort(links_.begin(), links_.end(), order);
  links_.erase(std::unique(links_.begin(), links_.end(),
                           [](const Link& a, const Link& b) { return a.source == b.source && a.target == b.target; }),
               links_.end());
  scorer_.add_option({source_, target_, links_});
  ++options_;
}

}  // namespace isogloss::features
