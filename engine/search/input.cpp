#include "search/input.hpp"

#include <stdexcept>

namespace isogloss::search {

void InputMaker::add_word(Input& sentence, std::string_view word) const {
  add_arc(sentence, sentence.places - 1, sentence.places, word, 0.0f);
  end_unit(sentence);
}

void InputMaker::add_fixed(Input& sentence, std::span<const std::string> words,
                           std::span<const std::string> translation) const {
  if (sentence.places >= Source::kMostPlaces) throw std::invalid_argument("a sentence is too long");
  if (translation.size() > kMostFixedWords) throw std::invalid_argument("a given translation is too long");
  SourceArc arc{static_cast<Place>(sentence.places - 1),
                static_cast<Place>(sentence.places),
                kNoWord,
                kNoWord,
                static_cast<std::uint32_t>(sentence.words.size()),
                0.0f,
                static_cast<std::uint32_t>(words.size()),
                true};
  sentence.words.insert(sentence.words.end(), words.begin(), words.end());
  arc.fixed_begin = static_cast<std::uint32_t>(sentence.fixed.size());
  for (const std::string& text : translation)
    sentence.fixed.push_back({target_words_.find(text), language_model_.find(text), text});
  arc.fixed_end = static_cast<std::uint32_t>(sentence.fixed.size());
  sentence.arcs.push_back(arc);
  end_unit(sentence);
}

void InputMaker::end_unit(Input& sentence) {
  sentence.first_word.push_back(sentence.words.size());
  ++sentence.places;
}

Input InputMaker::lattice(std::size_t places) const {
  if (places > Source::kMostPlaces) throw std::invalid_argument("a lattice is too long");
  Input out;
  out.places = places;
  for (std::size_t place = 1; place < places; ++place) out.first_word.push_back(place);
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
