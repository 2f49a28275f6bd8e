#include "lm/arpa_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"

namespace isogloss::lm {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;
constexpr float kMissingUnknown = -100;
constexpr Weights kAbsent{std::bit_cast<float>(kAbsentBits), -0.0f};

bool is_absent(const Weights& weights) { return weights.prob != weights.prob; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && text::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && text::is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// For messages: never more than a line's worth of somebody's bytes.
std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (char c : text.substr(0, 60)) quoted.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  if (!text::is_utf8(quoted)) return "bytes that are not UTF-8";
  return quoted + (text.size() > 60 ? "…'" : "'");
}

}  // namespace

void ArpaReader::fail(const std::string& problem, const std::string& hint) const {
  throw LineError(problem, line_, hint);
}

void ArpaReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const void* found = std::memchr(bytes.data(), '\n', bytes.size());
    if (found == nullptr) {
      partial_line_.append(bytes);
      if (partial_line_.size() > kLongestLine) {
        ++line_;
        line(partial_line_);
      }
      return;
    }
    const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    ++line_;
    if (partial_line_.empty()) {
      line(bytes.substr(0, end));
    } else {
      partial_line_.append(bytes.substr(0, end));
      line(partial_line_);
      partial_line_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void ArpaReader::finish() {
  if (!partial_line_.empty()) {
    ++line_;
    line(partial_line_);
    partial_line_.clear();
  }
  if (place_ == Place::kStart) {
    line_ = line_ == 0 ? 1 : line_;
    fail("the file ends before '\\data\\'", "give an ARPA language model");
  }
  if (place_ != Place::kEnd) fail("the file ends without '\\end\\'", "the file is truncated; copy it again");
  add_links();
}

void ArpaReader::line(std::string_view text) {
  if (text.size() > kLongestLine) fail("the line is longer than a million bytes", "is this an ARPA file?");
  text = trim(text);
  switch (place_) {
    case Place::kStart:
      if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
      if (text.empty()) return;
      if (text != "\\data\\") fail("'\\data\\' expected, found " + quote(text), "is this an ARPA file?");
      place_ = Place::kCounts;
      return;
    case Place::kCounts:
      if (text.starts_with("\\")) {
        place_ = Place::kBefore;
        return begin_section(text);
      }
      if (!text.empty()) return read_count(text);
      if (!counts_.empty()) place_ = Place::kBefore;
      return;
    case Place::kBefore:
      if (!text.empty()) begin_section(text);
      return;
    case Place::kSection:
      if (text.empty() || text.front() == '\\') end_section();
      if (text.empty()) return;
      if (text.front() == '\\') return begin_section(text);
      return read_ngram(text);
    case Place::kAfter:
      if (text.empty()) return;
      if (text.front() != '\\')
        fail("a section's n-grams end at an empty line, found " + quote(text) + " after it");
      return begin_section(text);
    case Place::kEnd:
      if (!text.empty()) fail("nothing is expected after '\\end\\', found " + quote(text));
      return;
  }
}

void ArpaReader::read_count(std::string_view text) {
  const std::size_t equals = text.find('=');
  std::optional<std::uint64_t> order, count;
  if (text.starts_with("ngram") && equals != text.npos) {
    order = parse_unsigned(trim(text.substr(5, equals - 5)));
    count = parse_unsigned(trim(text.substr(equals + 1)));
  }
  if (!order || !count) fail("a line like 'ngram 1=5000' expected, found " + quote(text));
  if (*order > kMaxOrder)
    fail("the model has order " + std::to_string(*order) + "; at most " + std::to_string(kMaxOrder) +
         " is supported");
  if (*order != counts_.size() + 1)
    fail("the count of " + std::to_string(counts_.size() + 1) + "-grams expected, found that of " +
         std::to_string(*order) + "-grams");
  if (*count > kMaxTokens) fail("more than " + std::to_string(kMaxTokens) + " n-grams of one order");
  counts_.push_back(*count);
}

void ArpaReader::begin_section(std::string_view text) {
  if (counts_.empty()) fail("no 'ngram 1=…' line before " + quote(text));
  const std::string expected =
      section_ == order() ? "\\end\\" : "\\" + std::to_string(section_ + 1) + "-grams:";
  if (text != expected) {
    if (text == "\\end\\")
      fail("the header announces " + std::to_string(order()) + " orders, the file ends after " +
           std::to_string(section_));
    fail("'" + expected + "' expected, found " + quote(text));
  }
  if (section_ == order()) {
    place_ = Place::kEnd;
    return;
  }
  ++section_;
  section_line_ = line_;
  place_ = Place::kSection;
}

void ArpaReader::read_ngram(std::string_view text) {
  std::array<std::string_view, kMaxOrder + 2> fields;
  std::size_t count = 0;
  text::Tokens tokens(text);
  for (std::string_view field = tokens.next(); !field.empty(); field = tokens.next()) {
    if (count < fields.size()) fields[count] = field;
    ++count;
  }
  const std::size_t needed = section_ + 1;
  if (count != needed && count != needed + 1)
    fail("a log probability, " + std::to_string(section_) + (section_ == 1 ? " word" : " words") +
         " and perhaps a back-off weight expected, found " + std::to_string(count) +
         (count == 1 ? " field" : " fields"));
  const auto number = [&](std::string_view field, const char* what) {
    const std::optional<double> value = parse_double(field);
    if (!value || !std::isfinite(static_cast<float>(*value)))
      fail(std::string("the ") + what + " " + quote(field) + " is not a finite number");
    return static_cast<float>(*value);
  };
  Weights weights{number(fields[0], "log probability"), 0};
  if (weights.prob > 0) fail("the log probability " + quote(fields[0]) + " is positive");
  if (count == needed + 1) weights.backoff = number(fields[needed], "back-off weight");
  if (section_ == order() && weights.backoff != 0)
    fail("an n-gram of the highest order has a back-off weight, " + quote(fields[needed]));
  const std::uint64_t read = section_ == 1 ? unigrams_read_ : entries_.size();
  if (read == counts_[section_ - 1])
    fail("the header announces " + std::to_string(read) + " " + std::to_string(section_) +
         "-grams, the section has more");
  weights.prob = stored_prob(weights.prob, false);
  if (weights.backoff == 0) weights.backoff = -0.0f;
  if (section_ == 1)
    add_unigram(fields[1], weights);
  else
    add_ngram(&fields[1], weights);
}

void ArpaReader::add_unigram(std::string_view word, Weights weights) {
  if (word == "<UNK>") word = "<unk>";
  const WordId id = vocabulary_.add(word);
  if (id >= unigrams_.size()) {
    if (!text::is_utf8(word)) fail("a word is not valid UTF-8", "convert the file to UTF-8");
    unigrams_.resize(std::max<std::size_t>(vocabulary_.size(), unigrams_.size()), kAbsent);
  }
  if (!is_absent(unigrams_[id])) fail("the word " + quote(word) + " occurs twice among the 1-grams");
  unigrams_[id] = weights;
  ++unigrams_read_;
}

void ArpaReader::add_ngram(const std::string_view* words, Weights weights) {
  std::array<WordId, kMaxOrder> ids;
  for (unsigned i = 0; i < section_; ++i) {
    ids[i] = vocabulary_.find(words[i] == "<UNK>" ? "<unk>" : words[i]);
    if (!present(ids[i])) fail("the word " + quote(words[i]) + " is not among the 1-grams");
  }
  entries_.push_back({ngram_key(ids.data(), section_), weights});
  mark_parts(ids.data(), section_, true);
}

bool ArpaReader::present(WordId word) const { return word < unigrams_.size() && !is_absent(unigrams_[word]); }

void ArpaReader::end_section() {
  const std::uint64_t read = section_ == 1 ? unigrams_read_ : entries_.size();
  if (read != counts_[section_ - 1])
    fail("the header announces " + std::to_string(counts_[section_ - 1]) + " " + std::to_string(section_) +
         "-grams, the section has " + std::to_string(read));
  place_ = Place::kAfter;
  if (section_ == 1) return end_unigrams();
  if (section_ == order()) {
    longest_.emplace(entries_.size(), kLongestLoad);
    fill_table(*longest_);
  } else {
    middle_[section_ - 2].emplace(entries_.size(), kMiddleLoad);
    fill_table(*middle_[section_ - 2]);
  }
  entries_ = Buffer<Entry>();
}

void ArpaReader::end_unigrams() {
  unigrams_.resize(std::max<std::size_t>(vocabulary_.size(), unigrams_.size()), kAbsent);
  special_ = {vocabulary_.find("<s>"), vocabulary_.find("</s>"), vocabulary_.add("<unk>")};
  if (!present(special_.begin) || !present(special_.end))
    fail(std::string("the 1-grams have no ") + (present(special_.begin) ? "</s>" : "<s>"),
         "give a model of sentences, with <s> and </s>");
  unigrams_.resize(vocabulary_.size(), kAbsent);
  has_unknown_ = present(special_.unknown);
  if (!has_unknown_) unigrams_[special_.unknown] = {kMissingUnknown, -0.0f};
}

template <class Bucket>
void ArpaReader::fill_table(TableBuilder<Bucket>& table) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    typename Bucket::Value value;
    if constexpr (std::is_same_v<typename Bucket::Value, Weights>)
      value = entries_[i].weights;
    else
      value = entries_[i].weights.prob;
    if (!table.insert(entries_[i].key, value).second)
      throw LineError("this " + std::to_string(section_) + "-gram occurs twice",
                      section_line_ + 1 + i);
  }
}

Weights* ArpaReader::find(const WordId* words, unsigned order) {
  return order == 1 ? &unigrams_[*words] : middle_[order - 2]->find(ngram_key(words, order));
}

void ArpaReader::mark_parts(const WordId* words, unsigned order, bool note_missing) {
  mark(words + 1, order - 1, true, note_missing);
  mark(words, order - 1, false, note_missing);
}

void ArpaReader::mark(const WordId* words, unsigned order, bool as_suffix, bool note_missing) {
  Weights* part = find(words, order);
  if (part != nullptr) {
    if (as_suffix)
      part->prob = std::abs(part->prob);
    else if (part->backoff == 0)
      part->backoff = 0.0f;
  } else if (note_missing) {
    Link link{{}, as_suffix};
    std::copy(words, words + order, link.words.begin());
    missing_[order - 1].push_back(link);
  }
}

void ArpaReader::add_links() {
  // Down: what is put in needs its own parts. They are noted behind the others, one order below.
  for (unsigned order = this->order() - 1; order >= 2 && order < kMaxOrder; --order) {
    std::vector<Link>& links = missing_[order - 1];
    if (links.empty()) continue;
    TableBuilder<MiddleBucket>& old = *middle_[order - 2];
    TableBuilder<MiddleBucket> larger(counts_[order - 1] + links.size(), kMiddleLoad);
    old.for_each([&](std::uint64_t key, const Weights& weights) { larger.insert(key, weights); });
    old = std::move(larger);
    for (const Link& link : links) {
      if (!old.insert(ngram_key(link.words.data(), order), kAbsent).second) continue;
      ++links_;
      for (unsigned start : {1u, 0u})
        if (find(link.words.data() + start, order - 1) == nullptr) {
          Link part{{}, start == 1};
          std::copy_n(link.words.begin() + start, order - 1, part.words.begin());
          missing_[order - 2].push_back(part);
        }
    }
  }
  // Up: each gets what backing off gives, from parts that are complete by now.
  for (unsigned order = 2; order < this->order(); ++order) {
    for (const Link& link : missing_[order - 1]) {
      Weights* weights = find(link.words.data(), order);
      if (is_absent(*weights)) {
        const Weights* suffix = find(link.words.data() + 1, order - 1);
        const Weights* context = find(link.words.data(), order - 1);
        *weights = {stored_prob(-std::abs(suffix->prob) + context->backoff, false), -0.0f};
        mark_parts(link.words.data(), order, false);
      }
      mark(link.words.data(), order, link.as_suffix, false);
    }
  }
}

}  // namespace isogloss::lm
