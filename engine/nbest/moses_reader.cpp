#include "nbest/moses_reader.hpp"

#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "text/quoted.hpp"
#include "text/split.hpp"

namespace isogloss::nbest {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr const char* kLayout = "the fields are: sentence ||| words ||| features ||| score";
constexpr const char* kFeatures = "write features as 'Name= value value' or 'name=value'";

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && text::is_space(field.front())) field.remove_prefix(1);
  while (!field.empty() && text::is_space(field.back())) field.remove_suffix(1);
  return field;
}

/// Cuts at every `|||` that stands alone between spaces or at an end of the line; one that is glued to a word
/// belongs to the word and is refused there.
void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0, from = 0;
  for (std::size_t at; (at = line.find("|||", from)) != line.npos;) {
    const bool alone =
        (at == 0 || text::is_space(line[at - 1])) && (at + 3 == line.size() || text::is_space(line[at + 3]));
    from = at + 3;
    if (!alone) continue;
    fields.push_back(line.substr(begin, at - begin));
    begin = from;
  }
  fields.push_back(line.substr(begin));
}

[[noreturn]] void refuse_number(const std::string& what, std::string_view text) {
  throw std::invalid_argument(what + " is " + text::quoted(text) + ", a number is expected");
}

double number(std::string_view text, std::string_view name) {
  if (const auto value = parse_double(text)) return *value;
  refuse_number("the value of " + text::quoted(name), text);
}

/// Takes the next token if it is a number of the common, simple kind: most of a list is.
bool take_value(text::Tokens& tokens, double& value) {
  const std::string_view rest = tokens.rest();
  const char* const end = rest.data() + rest.size();
  const char* const after = parse_short_decimal(rest.data(), end, value);
  if (after == nullptr || (after != end && !text::is_space(*after))) return false;
  tokens.skip(static_cast<std::size_t>(after - rest.data()));
  return true;
}

struct Span {
  std::uint64_t first, last;
};

/// `3` or `3-5`.
bool parse_span(std::string_view text, Span& span) {
  const std::size_t dash = text.find('-');
  const auto first = parse_unsigned(text.substr(0, dash));
  const auto last = dash == text.npos ? first : parse_unsigned(text.substr(dash + 1));
  if (!first || !last) return false;
  span = {*first, *last};
  return true;
}

bool looks_like_links(std::string_view field) {
  Span span;
  const std::string_view token = text::Tokens(field).next();
  return token.find('-') != token.npos && parse_span(token, span);
}

}  // namespace

void MosesReader::feed(std::string_view bytes) {
  std::size_t begin = 0;
  if (!rest_.empty()) {
    const std::size_t end = bytes.find('\n');
    rest_.append(bytes.substr(0, end));
    if (end == bytes.npos) return;
    read_line(rest_);
    rest_.clear();
    begin = end + 1;
  }
  for (std::size_t end; (end = bytes.find('\n', begin)) != bytes.npos; begin = end + 1)
    read_line(bytes.substr(begin, end - begin));
  rest_.assign(bytes.substr(begin));
}

NbestColumns MosesReader::finish() {
  if (!rest_.empty()) read_line(rest_);
  rest_.clear();
  return builder_.finish();
}

void MosesReader::read_line(std::string_view line) {
  if (++line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  try {
    parse(line);
  } catch (const std::invalid_argument& error) {
    throw LineError(error.what(), line_);
  } catch (const std::length_error& error) {
    throw LineError(error.what(), line_);
  }
}

void MosesReader::parse(std::string_view line) {
  split_fields(line, fields_);
  if (fields_.size() == 1 && trimmed(line).empty())
    throw LineError("empty line", line_, "an n-best list must have one candidate per line");
  if (fields_.size() < 2)
    throw LineError("at least 2 fields expected between '|||', found " + std::to_string(fields_.size()), line_,
                    kLayout);
  const auto sentence = parse_unsigned(trimmed(fields_[0]));
  if (!sentence || *sentence > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw LineError("the sentence number is " + text::quoted(trimmed(fields_[0])) +
                        ", a whole number from 0 to 9223372036854775807 is expected",
                    line_, kLayout);
  builder_.begin(static_cast<std::int64_t>(*sentence));

  text::Tokens words(fields_[1]);
  for (std::string_view word; !(word = words.next()).empty();) builder_.add_token(word);

  std::size_t next = 2;
  if (options_.fields_before_features && fields_.size() > 4) {
    for (; next + 2 < fields_.size(); ++next) {
      if (looks_like_links(fields_[next])) parse_links(fields_[next]);
      else parse_word_scores(fields_[next]);
    }
  }
  if (fields_.size() - next > 4)
    throw LineError("at most 6 fields expected between '|||', found " + std::to_string(fields_.size()), line_,
                    "is there a '|||' in the text?");
  if (next < fields_.size()) parse_features(fields_[next++]);
  if (next < fields_.size()) {
    const std::string_view score = trimmed(fields_[next++]);
    if (!score.empty()) {
      const auto value = parse_double(score);
      if (!value) refuse_number("the score", score);
      builder_.set_score(*value);
    }
  }
  for (; next < fields_.size(); ++next) parse_links(fields_[next]);
  builder_.end();
}

void MosesReader::parse_features(std::string_view field) {
  text::Tokens tokens(field);
  std::string_view group;
  values_.clear();
  for (;;) {
    double value;
    while (!group.empty() && take_value(tokens, value)) values_.push_back(value);
    const std::string_view token = tokens.next();
    if (token.empty()) break;
    if (token.back() == '=' || token.back() == ':') {
      if (token.size() == 1)
        throw LineError(text::quoted(token) + " found where a feature name is expected", line_, kFeatures);
      builder_.add_dense(group, values_);
      group = token.substr(0, token.size() - 1);
      values_.clear();
    } else if (const std::size_t equals = token.rfind('='); equals != token.npos) {
      builder_.add_dense(group, values_);
      group = {};
      values_.clear();
      const std::string_view name = token.substr(0, equals);
      value = number(token.substr(equals + 1), name);
      if (options_.named_values_are_dense) {
        builder_.add_dense(name, {&value, 1});
      } else {
        builder_.add_sparse(name, value);
      }
    } else if (group.empty()) {
      throw LineError(text::quoted(token) + " has no feature name before it", line_, kFeatures);
    } else {
      values_.push_back(number(token, group));
    }
  }
  builder_.add_dense(group, values_);
}

/// The scores of single words say where a translation is weak; their sum is the score.
void MosesReader::parse_word_scores(std::string_view field) {
  text::Tokens tokens(field);
  if (tokens.next() != "WordScores=") return;
  double lowest = 0, value, count = 0;
  for (std::string_view token; !(token = tokens.next()).empty(); ++count) {
    value = number(token, "WordScores");
    if (count == 0 || value < lowest) lowest = value;
  }
  builder_.add_dense("WordScoreMin", {&lowest, 1});
  builder_.add_dense("WordScoreCount", {&count, 1});
}

void MosesReader::parse_links(std::string_view field) {
  text::Tokens tokens(field);
  for (std::string_view token; !(token = tokens.next()).empty();) {
    Span source, target;
    const std::size_t equals = token.find('=');
    if (equals == token.npos) {
      if (token.find('-') == token.npos || !parse_span(token, source))
        throw LineError(text::quoted(token) + " is not an alignment link", line_, "write links as 'source-target'");
      builder_.add_aligned_pair(source.first, source.last);
    } else {
      if (!parse_span(token.substr(0, equals), source) || !parse_span(token.substr(equals + 1), target))
        throw LineError(text::quoted(token) + " is not a phrase of a segmentation", line_,
                        "write phrases as 'first-last=first-last'");
      builder_.add_phrase(source.first, source.last, target.first, target.last);
    }
  }
}

}  // namespace isogloss::nbest
