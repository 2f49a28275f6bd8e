#include "grammar/known_forms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "base/hash.hpp"
#include "text/unicode.hpp"

namespace isogloss::grammar {
namespace {

constexpr std::size_t kShortestPart = 3, kShortestStem = 4, kShortestKept = 3;
constexpr std::size_t kLongestChange = 3;                   // letters of a beginning or an ending
constexpr std::size_t kBeforeInside = 2, kAfterInside = 3;  // letters round those that are left out
constexpr std::size_t kMostParts = 4;
constexpr std::size_t kMostWays = 3;  // splits, and related forms, of a word
constexpr std::size_t kMarksPerWord = 16;
constexpr double kDoubt = 2;              // how many examples the average counts as
constexpr double kCertain = -0.05;        // the score of the same word in another case
constexpr double kChanged = -0.3;         // added to the score of a first part that lost letters
constexpr double kLeastPartShare = 0.08;  // how often a part must have been right that stands beside unknown letters
const double kLeastSplit = std::log(0.02);
const double kLeastTwice = std::log(0.1);  // for two changes
const double kLeastEnd = std::log(0.3);    // for another ending of the last part of a compound
const double kLeftOver = std::log(0.1);    // added to the score of a part that stands beside unknown letters

bool better(const WordWay& one, const WordWay& other) {
  return std::forward_as_tuple(other.score, one.words) < std::forward_as_tuple(one.score, other.words);
}

void keep_best(std::vector<WordWay>& ways, std::size_t most) {
  std::sort(ways.begin(), ways.end(), better);
  if (ways.size() > most) ways.resize(most);
}

}  // namespace

/// What is tried for one word.
class KnownForms::Search {
 public:
  /// A text by its letters.
  class Letters {
   public:
    explicit Letters(std::string_view text) : text_(text) {
      for (std::size_t at = 0; at < text.size();) {
        starts_.push_back(at);
        text::next_code(text, at);
      }
      starts_.push_back(text.size());
    }

    std::size_t size() const { return starts_.size() - 1; }
    std::string_view slice(std::size_t begin, std::size_t end) const {
      return text_.substr(starts_[begin], starts_[end] - starts_[begin]);
    }
    std::string_view from(std::size_t begin) const { return slice(begin, size()); }
    std::string_view before(std::size_t end) const { return slice(0, end); }

   private:
    std::string_view text_;
    std::vector<std::size_t> starts_;
  };

  struct Affix {
    double score;
    std::string_view other;
    std::size_t at;  ///< where what is kept begins or ends
  };

  struct Part {
    double score;
    WordId word;
  };

  Search(const KnownForms& known, const UnseenWord& word) : known_(known), word_(word), form_(word.form) {}

  std::vector<WordWay> related() {
    WordId same = known_.find(word_.form);
    if (same == kNoWord) same = known_.find(word_.capitals);
    if (same != kNoWord) found_.push_back({kCertain, same});
    add_ended(form_, -std::numeric_limits<double>::infinity());
    for (const Affix& one : beginnings(form_)) add(one.score, one.other, form_.from(one.at));
    for_each_inside([&](double score, std::string_view other) { add(score, other); });
    return best_related();
  }

  std::vector<WordWay> related_by_two_changes() {
    std::vector<Affix> begun = beginnings(form_);
    std::stable_sort(begun.begin(), begun.end(),
                     [](const Affix& one, const Affix& other) { return one.score > other.score; });
    for (const Affix& ended : endings(form_)) {
      for (const Affix& one : begun) {
        if (one.score < kLeastTwice - ended.score) break;
        if (ended.at >= one.at + kShortestKept)
          add(ended.score + one.score, one.other, form_.slice(one.at, ended.at), ended.other);
      }
    }
    for_each_inside([&](double score, std::string_view text) {
      const Letters other(text);
      for (const Affix& ended : endings(other))
        if (ended.score >= kLeastTwice - score) add(score + ended.score, other.before(ended.at), ended.other);
    });
    return best_related();
  }

  std::vector<WordWay> splits(bool change) {
    change_ = change;
    splits_.assign(form_.size(), std::nullopt);
    std::vector<WordWay> found = form_.size() == 0 ? std::vector<WordWay>() : splits_from(0);
    std::erase_if(found, [](const WordWay& way) { return way.score < kLeastSplit; });
    return found;
  }

  /// The best way to take apart a form of which only the first or the last part is known.
  std::vector<WordWay> partial() {
    std::vector<WordWay> found;
    const auto beside = [&](std::string_view known, std::size_t letters, bool hyphen, bool first) {
      const WordId word = known_.find(known);
      if (word == kNoWord) return std::optional<Part>();
      const auto [right, seen] = evidence(word, first);
      if (!hyphen && right / (seen + 1) < kLeastPartShare) return std::optional<Part>();
      return std::optional<Part>({trust(word, letters, first) + kLeftOver, word});
    };
    for (std::size_t at = kShortestStem; at + kShortestPart <= form_.size(); ++at) {
      const std::size_t hyphen = form_.slice(at - 1, at) == "-";
      if (const auto first = beside(form_.before(at - hyphen), at, hyphen != 0, true))
        found.push_back({first->score, {text(first->word), std::string(form_.from(at))}, true});
    }
    for (std::size_t at = kShortestPart; at + kShortestStem <= form_.size(); ++at) {
      const std::size_t hyphen = form_.slice(at - 1, at) == "-";
      if (const auto last = beside(form_.from(at), form_.size() - at, hyphen != 0, false))
        found.push_back({last->score, {std::string(form_.before(at - hyphen)), text(last->word)}, true});
    }
    keep_best(found, 1);
    return found;
  }

 private:
  std::string text(WordId word) const { return std::string(known_.words_.word(word)); }

  template <class... Pieces>
  void add(double score, Pieces... pieces) {
    candidate_.clear();
    (candidate_.append(pieces), ...);
    const WordId word = known_.find(candidate_);
    if (word == kNoWord) return;
    for (Part& one : found_)
      if (one.word == word) return void(one.score = std::max(one.score, score));
    found_.push_back({score, word});
  }

  void add_ended(const Letters& form, double least) {
    for (const Affix& one : endings(form))
      if (one.score >= least) add(one.score, form.before(one.at), one.other);
  }

  std::vector<WordWay> best_related() {
    std::vector<WordWay> ways;
    for (const Part& one : found_) ways.push_back({one.score, {text(one.word)}, false});
    found_.clear();
    keep_best(ways, kMostWays);
    return ways;
  }

  std::vector<Affix> endings(const Letters& form) const {
    std::vector<Affix> found;
    for (std::size_t length = 0; length <= kLongestChange && form.size() >= kShortestKept + length; ++length) {
      const std::size_t end = form.size() - length;
      for (const auto& change : known_.evidence_.endings[form.from(end)])
        found.push_back({change.score, change.other, end});
    }
    return found;
  }

  std::vector<Affix> beginnings(const Letters& form) const {
    std::vector<Affix> found;
    for (std::size_t start = 0; start <= kLongestChange && form.size() >= kShortestKept + start; ++start)
      for (const auto& change : known_.evidence_.beginnings[form.before(start)])
        found.push_back({change.score, change.other, start});
    return found;
  }

  /// Forms without some letters inside, and the form without its marks.
  template <class Use>
  void for_each_inside(const Use& use) const {
    for (const auto& [letters, score] : known_.evidence_.insertions) {
      const std::size_t count = Letters(letters).size();
      for (std::size_t at = kBeforeInside; at + count + kAfterInside <= form_.size(); ++at)
        if (form_.slice(at, at + count) == letters)
          use(score, std::string(form_.before(at)).append(form_.from(at + count)));
    }
    if (word_.plain_score > -std::numeric_limits<double>::infinity()) use(word_.plain_score, word_.plain);
  }

  /// The best ways to take apart what begins at a letter; the last part may have another ending.
  const std::vector<WordWay>& splits_from(std::size_t at) {
    if (splits_[at]) return *splits_[at];
    std::vector<WordWay> ways;
    if (at != 0)
      if (const auto last = last_part(at))
        ways.push_back({last->score + trust(last->word, form_.size() - at, false), {text(last->word)}, true});
    for (std::size_t end = at + kShortestPart; end + kShortestPart <= form_.size(); ++end) {
      for (const Part& first : first_parts(at, end)) {
        for (const WordWay& rest : splits_from(end)) {
          if (rest.words.size() >= kMostParts) continue;
          WordWay way{first.score + rest.score, {text(first.word)}, true};
          way.words.insert(way.words.end(), rest.words.begin(), rest.words.end());
          ways.push_back(std::move(way));
        }
      }
    }
    keep_best(ways, kMostWays);
    return splits_[at].emplace(std::move(ways));
  }

  /// Known words that may be the first part of a compound, between two letters.
  std::vector<Part> first_parts(std::size_t at, std::size_t end) {
    std::vector<Part> found;
    const std::size_t most = std::min(known_.longest_joint_, end - at - kShortestPart + 1);
    for (std::size_t joining = 0; joining <= most; ++joining) {
      const std::size_t stem = end - joining;
      for (const auto& joint : known_.evidence_.joints[form_.slice(stem, end)]) {
        candidate_.assign(form_.slice(at, stem)).append(joint.lost);
        const WordId word = known_.find(candidate_);
        if (word == kNoWord) continue;
        const double score = smoothed(word, joint.share, true);
        found.push_back({joint.lost.empty() ? score : score + kChanged, word});
      }
    }
    return found;
  }

  std::optional<Part> last_part(std::size_t at) {
    const std::string_view rest = form_.from(at);
    if (const WordId word = known_.find(rest); word != kNoWord) return Part{0, word};
    if (!change_ || form_.size() - at < kShortestStem) return {};
    add_ended(Letters(rest), kLeastEnd);
    const std::vector<WordWay> best = best_related();
    if (best.empty()) return {};
    return Part{best[0].score, known_.words_.find(best[0].words[0])};
  }

  std::pair<double, double> evidence(WordId word, bool first) const {
    const auto row = known_.evidence_.parts.subspan(4 * std::size_t{word} + (first ? 0 : 2), 2);
    return {row[0], row[1]};
  }

  /// Logarithm of how often the word was right as this part of compounds.
  double smoothed(WordId word, double average, bool first) const {
    const auto [right, seen] = evidence(word, first);
    return 0.5 * std::log((right + kDoubt * average) / (seen + kDoubt));
  }

  double trust(WordId word, std::size_t letters, bool first) const {
    const std::vector<double>& lengths = known_.evidence_.lengths;
    return smoothed(word, lengths[std::min(letters, lengths.size() - 1)], first);
  }

  const KnownForms& known_;
  const UnseenWord& word_;
  Letters form_;
  bool change_ = false;
  std::string candidate_;
  std::vector<Part> found_;  ///< related words
  std::vector<std::optional<std::vector<WordWay>>> splits_;
};

KnownForms::KnownForms(const text::Vocabulary& words, const RuleTable& table, WordEvidence evidence)
    : words_(words), table_(table), evidence_(std::move(evidence)) {
  if (evidence_.parts.size() != 4 * words.size() || evidence_.lengths.empty())
    throw TableError("the evidence of parts does not fit the words");
  const auto must = [](bool holds) {  // what is not a number cannot be sorted
    if (!holds) throw TableError("the evidence of how words are made is out of range");
  };
  for (const auto* changes : {&evidence_.endings, &evidence_.beginnings})
    for (const auto& [one, rows] : changes->values)
      for (const auto& change : rows) must(std::isfinite(change.score));
  for (const auto& [letters, score] : evidence_.insertions) must(std::isfinite(score));
  for (const double share : evidence_.lengths) must(std::isfinite(share) && share > 0);
  for (const auto& [joining, rows] : evidence_.joints.values) {
    longest_joint_ = std::max(longest_joint_, Search::Letters(joining).size());
    for (const auto& joint : rows) must(std::isfinite(joint.share) && joint.share > 0);
  }
  marks_.resize(std::bit_ceil(words.size() * kMarksPerWord / 64 + 1));
  for (WordId word = 0; word < words.size(); ++word) {
    const std::uint64_t mark = hash64(words.word(word)) & (64 * marks_.size() - 1);
    marks_[mark / 64] |= std::uint64_t{1} << mark % 64;
  }
}

std::vector<WordWay> KnownForms::ways(const UnseenWord& word, bool further) const {
  Search search(*this, word);
  std::vector<WordWay> related = search.related(), splits = search.splits(false);
  if (further && related.empty() && splits.empty()) {
    related = search.related_by_two_changes();
    splits = search.splits(true);
    if (splits.empty()) splits = search.partial();
  }
  related.insert(related.end(), splits.begin(), splits.end());
  return related;
}

WordId KnownForms::with_rules(std::string_view word) const {
  const std::uint64_t mark = hash64(word) & (64 * marks_.size() - 1);
  if ((marks_[mark / 64] >> mark % 64 & 1) == 0) return kNoWord;
  const WordId found = words_.find(word);
  if (found == kNoWord) return kNoWord;
  const RuleTable::Node node = table_.child(RuleTable::kRoot, found);
  return node != RuleTable::kNoNode && table_.has_rules(node) ? found : kNoWord;
}

WordId KnownForms::find(std::string_view form) const {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < form.size() && letters < kShortestPart; ++i)
    letters += (static_cast<unsigned char>(form[i]) & 0xc0) != 0x80;
  if (letters < kShortestPart) return kNoWord;
  if (const WordId word = with_rules(form); word != kNoWord) return word;
  std::size_t at = 0;
  const char32_t first = text::next_code(form, at);
  std::string capital;
  text::append_upper(capital, first);
  if (capital == form.substr(0, at)) return kNoWord;
  return with_rules(capital.append(form.substr(at)));
}

}  // namespace isogloss::grammar
