#include "search/input.hpp"

#include <stdexcept>

namespace isogloss::search {

void InputMaker::add_word(Input& sentence, std::string_view word) const {
  add_arc(sentence, sentence.places - 1, sentence.places, word, 0.0f);
  end_unit(sentence, 1);
}

void InputMaker::add_offered(Input& sentence, std::string_view word, std::span<const Offer> offers) const {
  const std::size_t begin = sentence.places - 1;
  std::size_t inside = 0;
  for (const Offer& offer : offers) inside += offer.words.empty() ? 0 : offer.words.size() - 1;
  const std::size_t end = begin + inside + 1;
  const auto token = static_cast<std::uint32_t>(sentence.words.size());
  add_arc(sentence, begin, end, word, 0.0f);
  std::size_t next = begin + 1;
  for (const Offer& offer : offers) {
    if (offer.words.empty()) {
      SourceArc arc{static_cast<Place>(begin), static_cast<Place>(end), kNoWord, kNoWord, token, offer.score, 1, true};
      arc.kind = offer.kind;
      add_translation(sentence, arc, offer.translation);
      continue;
    }
    std::size_t at = begin;
    for (std::size_t i = 0; i < offer.words.size(); ++i) {
      const std::size_t to = i + 1 == offer.words.size() ? end : next++;
      add_arc(sentence, at, to, offer.words[i], offer.score / static_cast<float>(offer.words.size()));
      sentence.arcs.back().kind = offer.kind;
      at = to;
    }
  }
  for (std::size_t i = 0; i < inside; ++i) {
    sentence.first_word.push_back(sentence.first_word[begin]);
    sentence.word_end.push_back(sentence.first_word[begin] + 1);
  }
  sentence.places += inside;
  end_unit(sentence, 1);
}

void InputMaker::add_fixed(Input& sentence, std::span<const std::string> words,
                           std::span<const std::string> translation) const {
  if (sentence.places >= Source::kMostPlaces) throw std::invalid_argument("a sentence is too long");
  const SourceArc arc{static_cast<Place>(sentence.places - 1),
                static_cast<Place>(sentence.places),
                kNoWord,
                kNoWord,
                static_cast<std::uint32_t>(sentence.words.size()),
                0.0f,
                static_cast<std::uint32_t>(words.size()),
                true};
  sentence.words.insert(sentence.words.end(), words.begin(), words.end());
  add_translation(sentence, arc, translation);
  end_unit(sentence, words.size());
}

void InputMaker::add_translation(Input& sentence, SourceArc arc, std::span<const std::string> translation) const {
  if (translation.size() > kMostFixedWords) throw std::invalid_argument("a given translation is too long");
  arc.fixed_begin = static_cast<std::uint32_t>(sentence.fixed.size());
  for (const std::string& text : translation)
    sentence.fixed.push_back({target_words_.find(text), language_model_.find(text), text});
  arc.fixed_end = static_cast<std::uint32_t>(sentence.fixed.size());
  sentence.arcs.push_back(arc);
}

void InputMaker::end_unit(Input& sentence, std::size_t words) {
  const std::size_t before = sentence.first_word.back();
  sentence.first_word.push_back(before + words);
  sentence.word_end.push_back(before + words);
  ++sentence.places;
}

Input InputMaker::lattice(std::size_t places) const {
  if (places > Source::kMostPlaces) throw std::invalid_argument("a lattice is too long");
  Input out;
  out.places = places;
  for (std::size_t place = 1; place < places; ++place) out.first_word.push_back(place);
  out.word_end = out.first_word;
  return out;
}

void InputMaker::add_arc(Input& lattice, std::size_t begin, std::size_t end, std::string_view word,
                         float score) const {
  if (end >= Source::kMostPlaces) throw std::invalid_argument("a sentence or lattice is too long");
  if (begin >= end) throw std::invalid_argument("an arc of a lattice must lead forward");
  lattice.arcs.push_back({static_cast<Place>(begin), static_cast<Place>(end), source_words_.find(word),
                          language_model_.find(word), static_cast<std::uint32_t>(lattice.words.size()), score});
  lattice.words.emplace_back(word);
}

}  // namespace isogloss::search
