// Tables of case: learned from any text, and opened from any arrays.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzzing.hpp"
#include "text/case_table.hpp"

namespace {

using namespace isogloss::text;

/// The next numbers of an input, as many as its next byte says.
template <class Number>
std::vector<Number> take_numbers(std::string_view& text) {
  const std::size_t count = std::min<std::size_t>(take_choice(text) % 16, text.size() / sizeof(Number));
  std::vector<Number> found(count);
  if (count != 0) std::memcpy(found.data(), text.data(), count * sizeof(Number));
  text.remove_prefix(count * sizeof(Number));
  return found;
}

void use(const CaseTable& table, std::string_view line) {
  std::string out;
  table.usual(line, out);
  out.clear();
  table.truecase(line, out);
  (void)table.usual_form(line);
  for (std::size_t word = 0; word < table.words(); ++word) (void)table.word(word);
}

void learned(std::string_view text, bool dotted) {
  CaseCounter counter;
  counter.add_line(text);
  const CaseArrays arrays = counter.arrays(dotted);
  const CaseTable table({{arrays.slots.data(), arrays.slots.size()},
                         {arrays.word_bytes.data(), arrays.word_bytes.size()},
                         {arrays.form_bytes.data(), arrays.form_bytes.size()},
                         {arrays.word_ends.data(), arrays.word_ends.size()},
                         {arrays.form_ends.data(), arrays.form_ends.size()},
                         {arrays.word_forms.data(), arrays.word_forms.size()},
                         {arrays.counts.data(), arrays.counts.size()}},
                        dotted);
  use(table, text);
}

void stored(std::string_view text, bool dotted) {
  const auto slots = take_numbers<std::uint32_t>(text);
  const auto word_ends = take_numbers<std::uint64_t>(text), form_ends = take_numbers<std::uint64_t>(text);
  const auto word_forms = take_numbers<std::uint32_t>(text);
  const auto counts = take_numbers<std::uint64_t>(text);
  try {
    use(CaseTable({slots, text, text, word_ends, form_ends, word_forms, counts}, dotted), text);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  const std::uint8_t choice = take_choice(text);
  ((choice & 2) != 0 ? stored : learned)(text, (choice & 1) != 0);
  return 0;
}
