#include "text/case_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "base/hash.hpp"
#include "text/unicode.hpp"

namespace isogloss::text {
namespace {

/// The tokens of a line that has one space between them; nothing for an empty line.
template <class Use>
void each_token(std::string_view line, Use&& use) {
  for (bool more = !line.empty(); more;) {
    const std::size_t end = std::min(line.find(' '), line.size());
    more = end < line.size();
    use(line.substr(0, end), more);
    line.remove_prefix(end + (more ? 1 : 0));
  }
}

bool has_case(std::string_view token) {
  for (std::size_t at = 0; at < token.size();)
    if ((properties(next_code(token, at)) & kHasCase) != 0) return true;
  return false;
}

bool begins_small(std::string_view token) {
  std::size_t at = 0;
  return !token.empty() && (properties(next_code(token, at)) & kLowercase) != 0;
}

/// The text between the end before and this end; empty where the ends make no sense.
std::string_view piece(std::string_view bytes, std::span<const std::uint64_t> ends, std::size_t number) {
  if (number >= ends.size()) return {};
  const std::uint64_t begin = number == 0 ? 0 : ends[number - 1], end = ends[number];
  return begin <= end && end <= bytes.size() ? bytes.substr(begin, end - begin) : std::string_view();
}

/// Whether a sentence begins after this token.
bool ends_sentence(std::string_view token) {
  return token == "." || token == ":" || token == "?" || token == "!";
}

/// Whether the sentence does not begin with this token but after it.
bool opens_sentence(std::string_view token) {
  return token == "(" || token == "[" || token == "\"" || token == "'" || token == "&apos;" || token == "&quot;" ||
         token == "&#91;" || token == "&#93;";
}

}  // namespace

CaseTable::CaseTable(const Views& views, bool dotted) : views_(views), dotted_(dotted) {
  if (views.word_forms.size() != views.word_ends.size() || views.counts.size() != views.form_ends.size() ||
      !std::has_single_bit(views.slots.size()))
    throw std::invalid_argument("case table: the arrays do not have the same size");
}

std::string_view CaseTable::word(std::size_t number) const { return piece(views_.word_bytes, views_.word_ends, number); }

std::string_view CaseTable::form(std::size_t number) const { return piece(views_.form_bytes, views_.form_ends, number); }

std::size_t CaseTable::forms_end(std::size_t word) const {
  return std::min<std::size_t>(views_.word_forms[word], views_.counts.size());
}

std::size_t CaseTable::find(std::string_view token) const {
  thread_local std::string lowered;
  lower(token, dotted_, lowered);
  const std::size_t slots = views_.slots.size();
  for (std::size_t at = hash64(lowered), tries = 0; tries < slots; ++at, ++tries) {
    const std::uint32_t slot = views_.slots[at & (slots - 1)];
    if (slot == 0) break;
    if (slot <= words() && word(slot - 1) == lowered) return slot - 1;
  }
  return words();
}

std::optional<std::string_view> CaseTable::usual_form(std::string_view token) const {
  const std::size_t number = find(token);
  if (number == words()) return std::nullopt;
  const std::size_t best = first_form(number);
  if (best >= forms_end(number) || views_.counts[best] == 0) return std::nullopt;
  return form(best);
}

std::string_view CaseTable::cased(std::string_view token, bool keep_known) const {
  const std::size_t number = find(token);
  if (number == words()) return token;
  const std::size_t best = first_form(number), end = forms_end(number);
  if (keep_known)
    for (std::size_t i = best; i < end; ++i)
      if (views_.counts[i] != 0 && form(i) == token) return token;
  return best < end ? form(best) : token;
}

void CaseTable::usual(std::string_view line, std::string& out) const {
  each_token(line, [&](std::string_view token, bool more) {
    out.append(cased(token, false));
    if (more) out.push_back(' ');
  });
}

void CaseTable::truecase(std::string_view line, std::string& out) const {
  bool begins = true;
  each_token(line, [&](std::string_view token, bool more) {
    out.append(cased(token, !begins));
    if (more) out.push_back(' ');
    if (!opens_sentence(token)) begins = ends_sentence(token);
  });
}

void CaseCounter::add_line(std::string_view line) {
  bool begins = true;
  each_token(line, [&](std::string_view token, bool) {
    if (!is_placeholder_mark(token) && has_case(token)) add(token, !begins || begins_small(token) ? 1 : 0);
    if (!opens_sentence(token)) begins = !begins && ends_sentence(token);
  });
}

std::string_view CaseCounter::form(std::size_t number) const {
  return piece({bytes_.data(), bytes_.size()}, {ends_.data(), ends_.size()}, number);
}

void CaseCounter::add(std::string_view form_text, std::uint64_t count) {
  const auto number = index_.find_or_add(
      hash64(form_text), [&](auto known) { return form(known) == form_text; },
      [&](auto known) { return hash64(form(known)); },
      [&] {
        bytes_.append(form_text.data(), form_text.size());
        ends_.push_back(bytes_.size());
        counts_.push_back(0);
      });
  counts_[number] += count;
}

CaseArrays CaseCounter::arrays(bool dotted) const {
  const std::size_t forms = counts_.size();
  std::vector<std::string> words(forms);
  for (std::size_t i = 0; i < forms; ++i) lower(form(i), dotted, words[i]);
  std::vector<std::size_t> order(forms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::forward_as_tuple(words[a], counts_[b], form(a)) < std::forward_as_tuple(words[b], counts_[a], form(b));
  });
  CaseArrays arrays;
  for (std::size_t place = 0; place < forms; ++place) {
    const std::size_t i = order[place];
    if (place == 0 || words[i] != words[order[place - 1]]) {
      arrays.word_bytes.append(words[i].data(), words[i].size());
      arrays.word_ends.push_back(arrays.word_bytes.size());
      arrays.word_forms.push_back(0);
    }
    arrays.form_bytes.append(form(i).data(), form(i).size());
    arrays.form_ends.push_back(arrays.form_bytes.size());
    arrays.counts.push_back(counts_[i]);
    arrays.word_forms.back() = static_cast<std::uint32_t>(place + 1);
  }
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * arrays.word_ends.size(), 2));
  arrays.slots.resize(slots, 0);
  const std::string_view bytes(arrays.word_bytes.data(), arrays.word_bytes.size());
  for (std::size_t i = 0; i < arrays.word_ends.size(); ++i) {
    std::size_t at = hash64(piece(bytes, {arrays.word_ends.data(), arrays.word_ends.size()}, i)) & (slots - 1);
    while (arrays.slots[at] != 0) at = (at + 1) & (slots - 1);
    arrays.slots[at] = static_cast<std::uint32_t>(i + 1);
  }
  return arrays;
}

}  // namespace isogloss::text
