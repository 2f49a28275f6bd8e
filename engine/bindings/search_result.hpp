#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/features.hpp"
#include "search/batch.hpp"

namespace isogloss::bindings {

/// Searches that were kept, for those who ask for more than the n-best list.
class SearchResult {
 public:
  SearchResult() = default;
  SearchResult(const SearchResult&) = delete;
  SearchResult& operator=(const SearchResult&) = delete;

  /// Keeps the searches of these sentences, which must have been kept.
  void take(std::vector<search::TranslatedSentence>&& sentences, const search::Wording& wording);

  /// Sparse features of some candidates of a sentence.
  nanobind::tuple sparse(std::size_t number, const std::vector<std::int64_t>& rows);

  /// Events of some candidates of a sentence, by their numbers in the pool. New ones are added to it; features of
  /// theirs that `learned` has under another name are noted there.
  nanobind::tuple events(std::size_t number, const std::vector<std::int64_t>& rows, features::EventPool& pool,
                         LearnedWeights& learned);

  /// The same for candidates of any sentences: of `sentences[i]` that with the number `rows[i]`.
  nanobind::tuple sparse_of(const std::vector<std::size_t>& sentences, const std::vector<std::int64_t>& rows);
  /// Those features of theirs that are wanted, their names consecutively, and where each ends.
  nanobind::tuple names_of(const std::vector<std::size_t>& sentences, const std::vector<std::int64_t>& rows,
                           ArrayIn<std::uint64_t> wanted);

  /// For every sentence: features, of some templates, of the most frequent rule of each source phrase in it.
  nanobind::tuple bags(const std::vector<std::size_t>& templates);
  nanobind::tuple bag_names(const std::vector<std::size_t>& templates, ArrayIn<std::uint64_t> wanted);

  nanobind::dict names(std::size_t number, const std::vector<std::int64_t>& rows, ArrayIn<std::uint64_t> wanted);

  /// Features, their names consecutively, and where each ends. In `learned` they stand for these names from now on.
  nanobind::tuple name_arrays(std::size_t number, const std::vector<std::int64_t>& rows,
                              ArrayIn<std::uint64_t> wanted, LearnedWeights* learned);

  /// (step, its words, probability) for all steps of all derivations, the most probable first.
  nanobind::list rule_posteriors(std::size_t number, double scale);

  /// N-grams of up to `order` words and how often each is expected.
  nanobind::dict ngram_posteriors(std::size_t number, double scale, std::size_t order);

  /// log Σ exp(scale · score) over all derivations.
  double log_total(std::size_t number, double scale);

 private:
  search::KeptSearch& at(std::size_t number);

  std::vector<search::KeptSearch> sentences_;
  const search::Wording* wording_ = nullptr;
};

}  // namespace isogloss::bindings
