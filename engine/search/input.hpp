#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lm/model.hpp"
#include "search/source.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::search {

/// A sentence or lattice to translate.
struct Input {
  std::vector<std::string> words;          ///< as the arcs number them
  std::size_t places = 1;
  std::vector<std::size_t> first_word{0};  ///< by place: how many words of the sentence lie before it
  std::vector<std::size_t> word_end{0};    ///< the same, but a place inside a word that was split counts as its end
  std::vector<SourceArc> arcs;
  std::vector<FixedWord> fixed;
};

/// What a word of a sentence may be translated as instead: other source words, or a translation.
struct Offer {
  std::vector<std::string> words;        ///< translated by the rules
  std::vector<std::string> translation;  ///< used if there are no words
  ArcKind kind;
  float score;
};

/// Numbers words as the models do and makes inputs of them. All must outlive it. Throws std::invalid_argument for what
/// cannot be translated.
class InputMaker {
 public:
  static constexpr std::size_t kMostFixedWords = 1000;

  InputMaker(const Vocabulary& source_words, const Vocabulary& target_words, const lm::Model& language_model)
      : source_words_(source_words), target_words_(target_words), language_model_(language_model) {}

  /// Appends a word to a sentence.
  void add_word(Input& sentence, std::string_view word) const;

  /// Appends a word with what else it may be. Words of an offer that have no rules are unknown like others.
  void add_offered(Input& sentence, std::string_view word, std::span<const Offer> offers) const;

  /// Appends words to a sentence that have this translation, whatever the rules say.
  void add_fixed(Input& sentence, std::span<const std::string> words, std::span<const std::string> translation) const;

  /// A lattice without arcs.
  Input lattice(std::size_t places) const;
  void add_arc(Input& lattice, std::size_t begin, std::size_t end, std::string_view word, float score) const;

 private:
  void add_translation(Input& sentence, SourceArc arc, std::span<const std::string> translation) const;
  static void end_unit(Input& sentence, std::size_t words);

  const Vocabulary& source_words_;
  const Vocabulary& target_words_;
  const lm::Model& language_model_;
};

}  // namespace isogloss::search
