#include "adapt/example_index.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/offsets.hpp"

namespace isogloss::adapt {
namespace {

constexpr std::uint16_t kForeign = EditDistance::kForeign;
constexpr float kSlack = 1e-5f;   // more than the rounding of a sum of some dozen weights
constexpr std::size_t kManyPostings = 4;  // times the wanted examples: then a higher floor may spare the traversal
constexpr std::size_t kLookupCost = 16;   // of an example's words, in postings traversed
constexpr float kTouched = 1e-20f;  // makes a weight of 0 differ from "never seen"

[[noreturn]] void damaged() { throw std::out_of_range("the index of the examples is inconsistent"); }

bool better(const Found& a, const Found& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.example > b.example;
}

}  // namespace

IndexColumns index_examples(std::span<const std::int64_t> offsets, std::span<const WordId> words,
                            std::span<const double> idf) {
  if (offsets.empty()) throw std::invalid_argument("examples: no offsets");
  const std::size_t examples = offsets.size() - 1;
  if (examples >= 0xffffffffu) throw std::invalid_argument("too many examples for one index");
  check_offsets(offsets, examples, words.size(), "examples");
  for (WordId word : words)
    if (word >= idf.size()) throw std::invalid_argument("examples: a word number that does not exist");

  IndexColumns out;
  out.posting_offsets.resize(idf.size() + 1, 0);
  out.largest_weights.resize(idf.size(), 0.0f);
  std::vector<std::uint32_t> counts(idf.size(), 0);
  std::vector<WordId> distinct;
  const auto for_each_word = [&](std::size_t example, auto&& visit) {
    distinct.clear();
    for (auto at = offsets[example]; at < offsets[example + 1]; ++at) {
      const WordId word = words[static_cast<std::size_t>(at)];
      if (counts[word]++ == 0) distinct.push_back(word);
    }
    for (WordId word : distinct) visit(word, counts[word]);
    for (WordId word : distinct) counts[word] = 0;
  };
  for (std::size_t i = 0; i < examples; ++i) {
    double square = 0;
    for_each_word(i, [&](WordId word, std::uint32_t count) {
      square += (count * idf[word]) * (count * idf[word]);
      ++out.posting_offsets[word + 1];
    });
    out.norms.push_back(std::sqrt(square));
  }
  for (std::size_t i = 0; i < idf.size(); ++i) out.posting_offsets[i + 1] += out.posting_offsets[i];
  out.postings.resize(static_cast<std::size_t>(out.posting_offsets.back()));
  out.posting_weights.resize(out.postings.size());
  std::vector<std::int64_t> next(out.posting_offsets.begin(), out.posting_offsets.end() - 1);
  for (std::size_t i = 0; i < examples; ++i) {
    for_each_word(i, [&](WordId word, std::uint32_t count) {
      const auto at = static_cast<std::size_t>(next[word]++);
      const double norm = out.norms[i];
      out.postings[at] = static_cast<std::uint32_t>(i);
      out.posting_weights[at] = norm > 0 ? static_cast<float>(count * idf[word] / norm) : 0.0f;
      out.largest_weights[word] = std::max(out.largest_weights[word], out.posting_weights[at]);
    });
  }
  return out;
}

std::vector<Found> Retrieval::search(const IndexView& index, const Query& query, const SearchLimits& limits) {
  try {
    return search_unguarded(index, query, limits);
  } catch (...) {
    *this = Retrieval();  // half of its marks are set
    throw;
  }
}

std::vector<Found> Retrieval::search_unguarded(const IndexView& index, const Query& query,
                                               const SearchLimits& limits) {
  limits_ = &limits;
  best_.clear();
  if (limits.most == 0 || query.tokens.empty()) return {};
  prepare(index, query, limits.edit_share);
  filtered_ = limits.skip_identical || !limits.skip.empty() || !limits.documents.empty() || !limits.dates.empty();
  gathered_.clear();
  hopeful_.clear();
  if (weights_.size() < index.examples()) weights_.resize(index.examples());

  floor_ = static_cast<float>(limits.at_least) - kSlack;
  Left left;
  const auto add_left = [&](const Term& term, int sign) {
    left.cosine += static_cast<float>(sign) * term.cosine_bound;
    left.edit += static_cast<float>(sign) * term.edit_bound;
    const double square = static_cast<double>(term.weight) * static_cast<double>(term.weight);
    (sign > 0 ? left.square : left.square_done) += square;
    if (sign < 0) left.square -= square;
  };
  for (const Term& term : terms_) add_left(term, 1);
  bool may_enter = true;
  for (const Term& term : terms_) {
    if (term.postings > kManyPostings * limits.most) raise_floor();
    if (left.cosine + left.edit < floor_) may_enter = false;
    if (!may_enter) {
      drop_hopeless(left);
      if (hopeful_.size() * kLookupCost <= term.postings) break;
    }
    gather(term, may_enter);
    add_left(term, -1);
  }
  raise_floor();
  drop_hopeless(left);
  // The most promising first: they set the mark for the others.
  std::sort(hopeful_.begin(), hopeful_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weights_[a].sum() != weights_[b].sum() ? weights_[a].sum() > weights_[b].sum() : a > b;
  });
  const float more = std::max(left.cosine, 0.0f) + std::max(left.edit, 0.0f) + kSlack;
  for (std::uint32_t example : hopeful_) {
    if (best_.size() == limits.most) floor_ = std::max(floor_, static_cast<float>(best_.front().similarity) - kSlack);
    if (weights_[example].sum() + more < floor_) break;
    consider(example);
  }
  for (std::uint32_t example : gathered_) weights_[example] = {};
  finish();
  std::sort(best_.begin(), best_.end(), better);
  return best_;
}

double Retrieval::similarity(const IndexView& index, const Query& query, double edit_share, std::uint32_t example) {
  prepare(index, query, edit_share);
  read(example);
  const double result = exact((1 - edit_share) * cosine(example));
  finish();
  return result;
}

void Retrieval::prepare(const IndexView& index, const Query& query, double edit_share) {
  index_ = &index;
  query_ = &query;
  edit_share_ = edit_share;
  const std::size_t terms = query.words.size();
  in_query_.assign(terms, 0);
  in_example_.assign(terms, 0);
  for (std::uint16_t term : query.tokens) {
    if (term >= terms) throw std::invalid_argument("query: a term that does not exist");
    ++in_query_[term];
  }
  double square = 0;
  for (std::size_t i = 0; i < terms; ++i) square += (in_query_[i] * query.idf[i]) * (in_query_[i] * query.idf[i]);
  query_norm_ = std::sqrt(square);
  if (term_of_word_.size() < index.vocabulary()) term_of_word_.resize(index.vocabulary(), kForeign);
  distance_.set_pattern(query.tokens, terms);

  terms_.clear();
  const auto length = static_cast<double>(query.tokens.size());
  for (std::size_t i = 0; i < terms; ++i) {
    const WordId word = query.words[i];
    if (word == kNoWord) continue;
    if (word >= index.vocabulary()) throw std::invalid_argument("query: a word that the index does not have");
    const std::int64_t begin = index.posting_offsets[word], end = index.posting_offsets[word + 1];
    if (begin < 0 || begin > end || static_cast<std::size_t>(end) > index.postings.size()) damaged();
    const double weight = query_norm_ > 0 ? (1 - edit_share) * in_query_[i] * query.idf[i] / query_norm_ : 0.0;
    const double cosine_bound = weight * static_cast<double>(index.largest_weights[word]);
    const double edit_bound = edit_share * in_query_[i] / length;
    terms_.push_back({static_cast<std::uint16_t>(i), static_cast<std::size_t>(end - begin), static_cast<float>(weight),
                      static_cast<float>(cosine_bound), static_cast<float>(edit_bound)});
  }
  for (const Term& term : terms_) term_of_word_[query.words[term.number]] = term.number;
  std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) {
    const double left = static_cast<double>(a.bound()) / static_cast<double>(a.postings + 1);
    const double right = static_cast<double>(b.bound()) / static_cast<double>(b.postings + 1);
    return left != right ? left > right : a.number < b.number;
  });
}

void Retrieval::finish() {
  for (const Term& term : terms_) term_of_word_[query_->words[term.number]] = kForeign;
}

/// Adds the term to the examples that have it; new ones are gathered only if they may enter.
void Retrieval::gather(const Term& term, bool may_enter) {
  const auto begin = static_cast<std::size_t>(index_->posting_offsets[query_->words[term.number]]);
  const std::size_t examples = index_->examples();
  for (std::size_t at = begin; at < begin + term.postings; ++at) {
    const std::uint32_t example = index_->postings[at];
    if (example >= examples) damaged();
    Weight& weight = weights_[example];
    if (weight.cosine < 0) continue;
    if (weight.cosine == 0) {
      if (!may_enter) continue;
      gathered_.push_back(example);
      if (too_long_or_short(example) || (filtered_ && skipped(example))) {
        weight.cosine = -1.0f;
        continue;
      }
      hopeful_.push_back(example);
    }
    weight.cosine += term.weight * index_->posting_weights[at] + kTouched;
    weight.edit += term.edit_bound;
  }
}

/// As many examples as are wanted have at least the new floor: the most promising ones, scored exactly.
void Retrieval::raise_floor() {
  const std::size_t most = limits_->most;
  if (hopeful_.size() < most) return;
  const auto heavier = [&](std::uint32_t a, std::uint32_t b) { return weights_[a].sum() > weights_[b].sum(); };
  std::nth_element(hopeful_.begin(), hopeful_.begin() + static_cast<std::ptrdiff_t>(most - 1), hopeful_.end(), heavier);
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < most; ++i) {
    read(hopeful_[i]);
    lowest = std::min(lowest, exact((1 - edit_share_) * cosine(hopeful_[i])));
  }
  floor_ = std::max(floor_, static_cast<float>(lowest) - kSlack);
}

/// Forgets examples whose upper bound is below the floor.
void Retrieval::drop_hopeless(const Left& left) {
  const auto length_left = static_cast<float>(std::sqrt(std::max(left.square, 0.0)));
  const float scale = left.square_done > 0 ? static_cast<float>(1 / left.square_done) : 0.0f;
  std::erase_if(hopeful_, [&](std::uint32_t example) {
    const auto [cosine, edit] = weights_[example];
    const float by_length = length_left * std::sqrt(std::max(0.0f, 1 - cosine * cosine * scale));
    return cosine + edit + std::max(0.0f, std::min(left.cosine, by_length)) + left.edit + 2 * kSlack < floor_;
  });
}

/// Words that only one of them has must all be edited.
bool Retrieval::too_long_or_short(std::uint32_t example) const {
  const auto length = static_cast<float>(index_->offsets[example + 1] - index_->offsets[example]);
  const auto wanted = static_cast<float>(query_->tokens.size());
  const auto share = static_cast<float>(edit_share_);
  return share * std::min(length, wanted) + (1 - share + kSlack) * std::max(length, wanted) <
         floor_ * std::max(length, wanted);
}

bool Retrieval::skipped(std::uint32_t example) {
  if (!limits_->skip.empty() && limits_->skip[example] != 0) return true;
  if (!limits_->documents.empty() && limits_->documents[example] == limits_->skip_document) return true;
  if (!limits_->dates.empty() && limits_->dates[example] >= limits_->before) return true;
  return limits_->skip_identical && identical(example);
}

bool Retrieval::identical(std::uint32_t example) const {
  const std::int64_t begin = index_->offsets[example], end = index_->offsets[example + 1];
  if (end - begin != static_cast<std::int64_t>(query_->tokens.size())) return false;
  if (begin < 0 || static_cast<std::size_t>(end) > index_->words.size()) damaged();
  const WordId* word = index_->words.data() + begin;
  return std::ranges::all_of(query_->tokens, [&](std::uint16_t term) { return query_->words[term] == *word++; });
}

/// The example's words as the query's terms; also counts what they have in common.
std::span<const std::uint16_t> Retrieval::read(std::uint32_t example) {
  const std::int64_t begin = index_->offsets[example], end = index_->offsets[example + 1];
  if (begin < 0 || begin > end || static_cast<std::size_t>(end) > index_->words.size()) damaged();
  text_.clear();
  std::fill(in_example_.begin(), in_example_.end(), 0);
  common_ = 0;
  for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
    const WordId word = index_->words[at];
    if (word >= index_->vocabulary()) damaged();
    const std::uint16_t term = term_of_word_[word];
    text_.push_back(term);
    if (term != kForeign && ++in_example_[term] <= in_query_[term]) ++common_;
  }
  return text_;
}

/// Of the example that was read last, whatever order the index numbers words in.
double Retrieval::cosine(std::uint32_t example) const {
  const double norms = query_norm_ * index_->norms[example];
  if (!(norms > 0)) return 0.0;
  double product = 0;
  for (std::size_t i = 0; i < in_query_.size(); ++i)
    product += (in_query_[i] * query_->idf[i]) * (in_example_[i] * query_->idf[i]);
  return std::min(1.0, product / norms);
}

double Retrieval::exact(double by_cosine) {
  const auto longer = static_cast<double>(std::max(query_->tokens.size(), text_.size()));
  const double edit = longer > 0 ? 1 - static_cast<double>(distance_(text_)) / longer : 0.0;
  return edit_share_ * edit + by_cosine;
}

void Retrieval::consider(std::uint32_t example) {
  read(example);
  const auto longer = static_cast<double>(std::max(query_->tokens.size(), text_.size()));
  const double by_cosine = (1 - edit_share_) * cosine(example);
  const double most = by_cosine + edit_share_ * (common_ / longer);
  const bool full = best_.size() == limits_->most;
  constexpr double kRounding = 1e-12;
  if (most + kRounding < (full ? best_.front().similarity : limits_->at_least)) return;
  const Found found{exact(by_cosine), example};
  if (!(found.similarity > 0) || found.similarity < limits_->at_least || (full && !better(found, best_.front()))) return;
  if (full) {
    std::pop_heap(best_.begin(), best_.end(), better);
    best_.pop_back();
  }
  best_.push_back(found);
  std::push_heap(best_.begin(), best_.end(), better);
}

}  // namespace isogloss::adapt
