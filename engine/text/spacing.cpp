#include "text/spacing.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/hash.hpp"

namespace isogloss::text {
namespace {

constexpr std::size_t kLookBack = 256;  // bounds the time for very long lines

using Templates = SpacingTemplates;

void require(bool holds, const char* problem) {
  if (!holds) throw std::invalid_argument(std::string("spacing: ") + problem);
}

void check_lines(const SpacedLines& lines, const Templates& templates, std::size_t decisions) {
  require(!lines.offsets.empty() && lines.offsets.front() == 0, "no offsets");
  require(std::is_sorted(lines.offsets.begin(), lines.offsets.end()), "offsets descend");
  require(static_cast<std::size_t>(lines.offsets.back()) == lines.tokens.size(), "offsets do not fit the tokens");
  require(lines.flags.size() > 0 && lines.properties.size() == lines.flags.size() * templates.properties,
          "properties do not fit the types");
  require(std::all_of(lines.tokens.begin(), lines.tokens.end(), [&](auto type) { return type < lines.flags.size(); }),
          "a token has no properties");
  require(lines.styles.size() == lines.lines(), "styles do not fit the lines");
  require(lines.touches.empty() || lines.touches.size() == lines.tokens.size(), "touches do not fit the tokens");
  require(decisions == lines.tokens.size(), "decisions do not fit the tokens");
}

/// A gap: after the token `at` of a line.
class Gaps {
 public:
  Gaps(const SpacedLines& lines, const Templates& templates, std::span<const std::uint8_t> decisions)
      : lines_(lines), templates_(templates), decisions_(decisions), fields_(templates.field_count()) {}

  void enter(std::size_t line) {
    line_ = line;
    begin_ = static_cast<std::size_t>(lines_.offsets[line]);
    end_ = static_cast<std::size_t>(lines_.offsets[line + 1]);
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

  bool between_words(std::size_t at) const { return (flags(at) & kWordEnd) && (flags(at + 1) & kWordBegin); }
  bool apart(std::size_t at) const {
    return between_words(at) && !(flags(at) & kUnspacedEnd) && !(flags(at + 1) & kUnspacedBegin);
  }

  /// Calls `use(feature)` for the features of a gap.
  template <class Use>
  void features(std::size_t at, Use&& use) {
    fill(at);
    const bool words = between_words(at);
    for (const Templates::Template& made : templates_.all) {
      if (words && !made.between_words) continue;
      std::uint64_t feature = made.name;
      bool known = true;
      for (const std::uint16_t field : made.fields) {
        known &= fields_[field] != 0;
        feature = combine64(feature, fields_[field]);
      }
      if (known) use(feature);
    }
  }

 private:
  std::uint8_t flags(std::size_t at) const { return lines_.flags[lines_.tokens[at]]; }
  const std::uint64_t* row(std::uint32_t type) const { return lines_.properties.data() + type * templates_.properties; }

  void fill(std::size_t at) {
    std::uint64_t* field = fields_.data();
    for (std::size_t place = 0; place < Templates::kWindow; ++place) {
      const std::size_t token = at + place - Templates::kFirst;  // wraps around before the first one
      const std::uint32_t type = token >= begin_ && token < end_ ? lines_.tokens[token] : 0;
      field = std::copy_n(row(type), templates_.properties, field);
    }
    *field++ = lines_.styles[line_];
    *field++ = lines_.touches.empty() ? 0 : lines_.touches[at];
    std::uint64_t* const last = field;
    std::fill_n(last, 4, templates_.no_decision);
    if (at > begin_) last[0] = kind(at - 1);
    const std::uint32_t first = lines_.tokens[at], second = lines_.tokens[at + 1];
    const std::uint64_t left = row(first)[templates_.history[0]], right = row(second)[templates_.history[1]];
    unsigned missing = 3;
    const std::size_t stop = std::max(begin_, at - std::min(at, kLookBack));
    for (std::size_t seen = at; seen-- > stop && missing > 0;) {
      const auto note = [&](std::uint64_t& where) {
        if (where != templates_.no_decision) return;
        where = kind(seen);
        --missing;
      };
      if (lines_.tokens[seen] == first) note(last[1]);
      if (lines_.tokens[seen + 1] == second) note(last[2]);
      if (row(lines_.tokens[seen])[templates_.history[0]] == left &&
          row(lines_.tokens[seen + 1])[templates_.history[1]] == right)
        note(last[3]);
    }
  }

  std::uint64_t kind(std::size_t at) const { return templates_.kinds[decisions_[at]]; }

  const SpacedLines& lines_;
  const Templates& templates_;
  std::span<const std::uint8_t> decisions_;
  std::vector<std::uint64_t> fields_;
  std::size_t line_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace

void SpacingTemplates::check() const {
  require(properties > 0, "no properties");
  require(history[0] < properties && history[1] < properties, "no such property");
  require(!kinds.empty() && kinds.size() <= SpacingModel::kMostKinds, "too many kinds of white space, or none");
  require(field_count() <= std::numeric_limits<std::uint16_t>::max(), "too many properties");
  for (const Template& made : all) {
    require(made.fields.size() <= kMostFields, "too many fields in a template");
    for (const std::uint16_t field : made.fields) require(field < field_count(), "no such field");
  }
}

void spacing_features(const SpacedLines& lines, const SpacingTemplates& templates, std::span<const std::uint8_t> decisions,
                      GapFeatures& found) {
  templates.check();
  check_lines(lines, templates, decisions.size());
  require(std::all_of(decisions.begin(), decisions.end(), [&](auto kind) { return kind < templates.kinds.size(); }),
          "a decision is no kind of white space");
  Gaps gap(lines, templates, decisions);
  for (std::size_t line = 0; line < lines.lines(); ++line) {
    gap.enter(line);
    for (std::size_t at = gap.begin(); at + 1 < gap.end(); ++at) {
      if (templates.words_apart && gap.apart(at)) continue;
      found.gaps.push_back(static_cast<std::int64_t>(at));
      found.starts.push_back(static_cast<std::int64_t>(found.features.size()));
      gap.features(at, [&](std::uint64_t feature) { found.features.push_back(feature); });
    }
  }
  found.starts.push_back(static_cast<std::int64_t>(found.features.size()));
}

SpacingModel::SpacingModel(SpacingTemplates templates, std::span<const std::uint64_t> keys,
                           std::span<const float> weights)
    : templates_(std::move(templates)), keys_(keys), weights_(weights) {
  templates_.check();
  require(weights.size() == keys.size() * templates_.kinds.size(), "weights do not fit the features");
  require(keys.size() < std::numeric_limits<std::uint32_t>::max(), "too many features");
  require(std::is_sorted(keys.begin(), keys.end()), "features are not sorted");
  const std::size_t count = std::bit_ceil(std::max<std::size_t>(keys.size(), 2));
  shift_ = 64 - static_cast<unsigned>(std::bit_width(count - 1));
  buckets_.assign(count + 1, 0);
  for (const std::uint64_t key : keys) ++buckets_[(key >> shift_) + 1];
  for (std::size_t bucket = 0; bucket < count; ++bucket) buckets_[bucket + 1] += buckets_[bucket];
}

const float* SpacingModel::find(std::uint64_t key) const {
  const std::size_t bucket = key >> shift_;
  const auto begin = keys_.begin() + buckets_[bucket], end = keys_.begin() + buckets_[bucket + 1];
  const auto found = std::lower_bound(begin, end, key);
  if (found == end || *found != key) return nullptr;
  return weights_.data() + static_cast<std::size_t>(found - keys_.begin()) * templates_.kinds.size();
}

void SpacingModel::decide(const SpacedLines& lines, std::span<std::uint8_t> decisions) const {
  check_lines(lines, templates_, decisions.size());
  std::fill(decisions.begin(), decisions.end(), 0);
  const std::size_t kinds = templates_.kinds.size();
  Gaps gap(lines, templates_, decisions);
  for (std::size_t line = 0; line < lines.lines(); ++line) {
    gap.enter(line);
    for (std::size_t at = gap.begin(); at + 1 < gap.end(); ++at) {
      if (templates_.words_apart && gap.apart(at)) continue;
      std::array<double, kMostKinds> sums{};
      gap.features(at, [&](std::uint64_t feature) {
        if (const float* weights = find(feature))
          for (std::size_t kind = 0; kind < kinds; ++kind) sums[kind] += static_cast<double>(weights[kind]);
      });
      decisions[at] = static_cast<std::uint8_t>(std::max_element(sums.begin(), sums.begin() + kinds) - sums.begin());
    }
  }
}

}  // namespace isogloss::text
