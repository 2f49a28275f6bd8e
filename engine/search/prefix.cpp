#include "search/prefix.hpp"

#include <algorithm>

namespace isogloss::search {

PrefixConstraint::PrefixConstraint(References references, TypedWords typed)
    : Constraint(std::move(references)), typed_(std::move(typed)) {
  WordId last = 0;
  for (WordId word : typed_.words) last = std::max(last, word);
  reachable_.assign(std::max<std::size_t>(last + 1, typed_.begin_alike.size()), false);
  typed_.begin_alike.resize(reachable_.size(), false);
  // Where some words must not come next, one word more counts. A half-typed word is itself what comes next.
  last_ = typed_.words.size() + (typed_.forbidden.empty() || typed_.half_typed ? 0 : 1);
  State start;
  add(start, {0, 0});
  states_.push_back(start);
  numbers_.emplace(std::move(start), 0);
}

// Options that can stand in the typed text as they are come first: they are few, and must not be cut off. All of them
// are asked about before the search begins, and so all words that there are become known.
float PrefixConstraint::optimistic_score(std::span<const WordId> words) const {
  for (WordId word : words) reachable_[word] = true;
  const std::size_t typed = typed_.words.size();
  for (std::size_t begin = 0; begin < typed && !words.empty(); ++begin) {
    const std::size_t common = std::min(words.size(), typed - begin);
    std::size_t i = 0;
    while (i < common && (typed_.words[begin + i] == words[i] ||
                          (begin + i + 1 == typed && typed_.half_typed && typed_.begin_alike[words[i]])))
      ++i;
    if (i == common) return 1.0f;
  }
  return 0.0f;
}

bool PrefixConstraint::same(std::size_t place, WordId word) const {
  const WordId wanted = typed_.words[place];
  if (wanted == word) return true;
  if (is_half(place)) {
    if (typed_.begin_alike[word]) return true;
    for (std::size_t number = 0; number < reachable_.size(); ++number)
      if (reachable_[number] && (number == wanted || typed_.begin_alike[number])) return false;
    return true;
  }
  return !reachable_[wanted];
}

void PrefixConstraint::add(State& state, Done done) const {
  // Typed words that are left out follow from it.
  const std::size_t most = std::max<std::size_t>(done.words, typed_.words.size());
  for (; done.edits <= typed_.most_edits && done.words <= most; ++done.words, ++done.edits) {
    const auto at = std::lower_bound(state.begin(), state.end(), done.words,
                                     [](const Done& one, std::uint16_t words) { return one.words < words; });
    if (at != state.end() && at->words == done.words) {
      if (at->edits <= done.edits) return;
      at->edits = done.edits;
    } else {
      state.insert(at, done);
    }
  }
}

void PrefixConstraint::step(const State& from, WordId word, State& to) const {
  to.clear();
  for (const Done& done : from) {
    if (done.words == last_) {
      add(to, done);
      continue;
    }
    if (done.words == typed_.words.size()) {
      if (!forbids(word)) add(to, {static_cast<std::uint16_t>(last_), done.edits});
      continue;
    }
    if (is_half(done.words) && forbids(word)) continue;
    const bool right = same(done.words, word);
    add(to, {static_cast<std::uint16_t>(done.words + 1), static_cast<std::uint8_t>(done.edits + (right ? 0 : 1))});
    add(to, {done.words, static_cast<std::uint8_t>(done.edits + 1)});
  }
}

std::uint8_t PrefixConstraint::fewest(const State& state) {
  std::uint8_t found = 255;
  for (const Done& done : state) found = std::min(found, done.edits);
  return found;
}

float PrefixConstraint::score(std::uint32_t state, std::span<const WordId> words) const {
  const State& from = states_[state];
  if (from.front().words == last_) return 0.0f;  // nothing is left to type
  State now = from, next;
  for (WordId word : words) {
    step(now, word, next);
    now.swap(next);
    if (now.empty()) return kNever;
  }
  return -typed_.edit_cost * static_cast<float>(fewest(now) - fewest(from));
}

std::uint32_t PrefixConstraint::after(std::uint32_t state, std::span<const WordId> words) {
  State now = states_[state], next;
  for (WordId word : words) {
    step(now, word, next);
    now.swap(next);
  }
  const auto [at, fresh] = numbers_.try_emplace(now, static_cast<std::uint32_t>(states_.size()));
  if (fresh) states_.push_back(std::move(now));
  return at->second;
}

float PrefixConstraint::end(std::uint32_t state) const {
  const State& last = states_[state];
  if (last.empty() || last.back().words != last_) return kNever;
  return -typed_.edit_cost * static_cast<float>(last.back().edits - fewest(last));
}

double PrefixConstraint::final_score(std::span<const WordId> words) const {
  State now = states_[start()], next;
  for (WordId word : words) {
    step(now, word, next);
    now.swap(next);
  }
  if (now.empty() || now.back().words != last_) return static_cast<double>(kNever);
  return -static_cast<double>(typed_.edit_cost) * now.back().edits;
}

}  // namespace isogloss::search
