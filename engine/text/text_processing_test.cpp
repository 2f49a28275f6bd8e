#include <string>
#include <vector>

#include "testing/test.hpp"
#include "text/case_table.hpp"
#include "text/moses_tokenizer.hpp"
#include "text/unicode.hpp"
#include "text/word_tokenizer.hpp"

using namespace isogloss;
using namespace isogloss::text;

namespace {

std::string tokenized(const Tokenizer& tokenizer, std::string_view line) {
  std::string out;
  tokenizer.tokenize(line, out);
  return out;
}

CaseTable::Views views(const CaseArrays& arrays) {
  return {{arrays.slots.data(), arrays.slots.size()},
          {arrays.word_bytes.data(), arrays.word_bytes.size()},
          {arrays.form_bytes.data(), arrays.form_bytes.size()},
          {arrays.word_ends.data(), arrays.word_ends.size()},
          {arrays.form_ends.data(), arrays.form_ends.size()},
          {arrays.word_forms.data(), arrays.word_forms.size()},
          {arrays.counts.data(), arrays.counts.size()}};
}

}  // namespace

TEST("words are split in any language") {
  using Cut = WordTokenizer::Cut;
  CHECK_EQUAL(tokenized(WordTokenizer(Cut::kBefore), "Isn’t it 3.5 km (or so)?"), "Isn ’t it 3.5 km ( or so ) ?");
  CHECK_EQUAL(tokenized(WordTokenizer(Cut::kAfter), "L’été, c'est là."), "L’ été , c' est là .");
  CHECK_EQUAL(tokenized(WordTokenizer(Cut::kNever), "see http://a.b. --all"), "see http://a.b . --all");
}

TEST("bytes that are not text are split without harm") {
  const WordTokenizer words(WordTokenizer::Cut::kNever);
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {'a', static_cast<char>(first), static_cast<char>(second)};
      std::string out = tokenized(words, {bytes, 3});
      lower({bytes, 3}, first % 2 == 0, out);
    }
  }
}

TEST("a period stays with an abbreviation") {
  MosesRules rules;
  rules.alphanumeric = rules.alphabetic = "MrXits";
  rules.lowercase = "rits";
  rules.prefixes = {"Mr"};
  rules.apostrophe = MosesRules::Apostrophe::kEnglish;
  CHECK_EQUAL(tokenized(MosesTokenizer(rules), " Mr. X's it, it... X."), "Mr. X 's it , it ... X .");
}

TEST("words get their usual case") {
  CaseCounter counter;
  counter.add_line("The dog saw the Pope");
  counter.add_line("Dogs saw Peter");
  const CaseArrays arrays = counter.arrays(false);
  const CaseTable table(views(arrays), false);
  std::string out;
  table.truecase("The DOG saw THE Pope", out);
  CHECK_EQUAL(out, "the dog saw the Pope");
  CHECK(table.usual_form("POPE") == "Pope");
  CHECK(!table.usual_form("dogs"));
}

TEST("a table that is not sound does no harm") {
  CaseCounter counter;
  counter.add_line("x the user is a User with an IP");
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    CaseArrays arrays = counter.arrays(false);
    for (std::size_t i = 0; i < arrays.slots.size(); ++i) arrays.slots[i] = static_cast<std::uint32_t>(value);
    for (std::size_t i = 0; i < arrays.word_ends.size(); i += 2) arrays.word_ends[i] = value;
    for (std::size_t i = 0; i < arrays.form_ends.size(); i += 2) arrays.form_ends[i] = value;
    for (std::size_t i = 0; i < arrays.word_forms.size(); i += 2)
      arrays.word_forms[i] = static_cast<std::uint32_t>(value);
    const CaseTable table(views(arrays), true);
    std::string out;
    table.truecase("The user IS unknown . X", out);
    table.usual("The user IS unknown . X", out);
    for (std::size_t word = 0; word < table.words(); ++word)
      for (std::size_t form = table.first_form(word); form < table.forms_end(word); ++form) CHECK(table.count(form) < 99);
  }
}
