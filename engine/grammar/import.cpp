#include "grammar/import.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "text/quoted.hpp"

namespace isogloss::grammar {
namespace {

constexpr double kLeastLogarithm = -100;  // what a probability of 0 becomes, as in Moses

double logarithm(double probability, std::uint64_t line) {
  if (probability < 0)
    throw LineError("a negative probability, " + std::to_string(probability), line,
                    "a Moses table must contain probabilities, not their logarithms");
  return probability == 0 ? kLeastLogarithm : std::max(kLeastLogarithm, std::log(probability));
}

std::size_t orientation_of(std::string_view name) {
  return static_cast<std::size_t>(
      std::find(std::begin(kOrientationNames), std::end(kOrientationNames), name) -
      std::begin(kOrientationNames));
}

void append(std::vector<std::uint8_t>& bytes, const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

void append_code(std::vector<std::uint8_t>& bytes, std::uint64_t code) {
  std::uint8_t out[codes::kLongest];
  append(bytes, out, codes::put(code, out));
}

}  // namespace

RuleImport::RuleImport(ScratchSpace& scratch, std::size_t memory)
    : scratch_(&scratch), memory_(memory), sorter_(scratch, memory) {}

void RuleImport::add(std::string_view lines, std::uint64_t line, RuleFormat format) {
  if (merger_) throw std::logic_error("the rules are being merged already");
  for (bool more = true; more; ++line) {
    const std::size_t end = lines.find('\n');
    more = end != lines.npos;
    if (parse_rule(lines.substr(0, end), line, format, source_words_, target_words_, parsed_))
      add_rule(parsed_, format, line);
    else
      ++left_out_;
    if (more) lines.remove_prefix(end + 1);
  }
}

void RuleImport::add_rule(const ParsedRule& rule, RuleFormat format, std::uint64_t line) {
  ImportedLine record;
  record.line = line;
  key_.clear();
  for (const WordId symbol : rule.source)
    append_code(key_, symbol == kGap ? codes::kSourceGap : codes::kSourceWords + symbol);
  append_code(key_, codes::kSourceEnd);
  record.source_size = static_cast<std::uint16_t>(key_.size());
  for (const WordId word : rule.target) append_code(key_, codes::kTargetWords + word);
  append_code(key_, static_cast<std::uint64_t>(rule.shape));
  record.rule_size = static_cast<std::uint16_t>(key_.size());

  if (format == RuleFormat::moses_orientation) {
    has_orientation_ = true;
    key_.push_back(kOrientation);
    values_.clear();
    for (const double value : rule.values) values_.push_back(static_cast<float>(logarithm(value, line)));
  } else {
    key_.push_back(kRule);
    const auto links = static_cast<std::uint16_t>(rule.links.size());
    append(key_, &links, sizeof links);
    append(key_, rule.links.data(), rule.links.size());
    place_values(rule, format, line);
  }
  append(key_, values_.data(), values_.size() * sizeof(float));
  if (key_.size() > std::numeric_limits<sorting::KeySize>::max())
    throw LineError("the rule is too long", line, "use fewer words, links or scores");
  sorter_.add(key_, record);
}

void RuleImport::decide_columns(const ParsedRule& rule, RuleFormat format) {
  decided_ = true;
  named_ = !rule.names.empty() && !rule.names.front().empty();
  for (std::size_t i = 0; i < rule.values.size(); ++i) {
    if (format == RuleFormat::hiero && orientation_of(rule.names[i]) < TableArrays::kOrientations)
      has_orientation_ = true;
    else
      columns_.emplace_back(rule.names[i]);
  }
  has_counts_ = rule.counts.size() == 3;
}

/// Fills `values_` from what the line says.
void RuleImport::place_values(const ParsedRule& rule, RuleFormat format, std::uint64_t line) {
  if (!decided_) decide_columns(rule, format);
  if (!named_ && rule.values.size() != columns_.size())
    throw LineError(std::to_string(columns_.size()) + " values expected as in the rules before, found " +
                        std::to_string(rule.values.size()),
                    line);
  values_.assign(value_count(), 0);
  std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(orientation_at()), TableArrays::kOrientations,
              static_cast<float>(std::log(1.0 / 3)));
  for (std::size_t i = 0; i < rule.values.size(); ++i)
    values_[place_of(rule, i, line)] =
        static_cast<float>(format == RuleFormat::moses ? logarithm(rule.values[i], line) : rule.values[i]);
  if (!has_counts_ || rule.counts.size() != 3) return;
  float* const counts = values_.data() + counts_at();
  for (int i = 0; i < 3; ++i) counts[i] = static_cast<float>(rule.counts[2 - static_cast<std::size_t>(i)]);
  counts[3] = counts[0];
}

std::size_t RuleImport::place_of(const ParsedRule& rule, std::size_t value, std::uint64_t line) const {
  const std::string_view name = rule.names[value];
  if (name.empty() != !named_) throw LineError("values with and without names are mixed", line);
  if (!named_ || (value < columns_.size() && columns_[value] == name)) return value;
  const auto column = std::find(columns_.begin(), columns_.end(), name);
  if (column != columns_.end()) return static_cast<std::size_t>(column - columns_.begin());
  const std::size_t orientation = orientation_of(name);
  if (has_orientation_ && orientation < TableArrays::kOrientations) return orientation_at() + orientation;
  throw LineError("the value " + text::quoted(name) + " is missing in the first rule", line,
                  "all rules must have the same values as the first one");
}

bool RuleImport::merge(std::size_t limit) {
  if (!merger_) {
    merger_.emplace(sorter_.finish());
    more_merged_ = merger_->next();
    stage_.emplace(*scratch_, memory_, value_count() * sizeof(float));
  }
  for (std::size_t done = 0; more_merged_ && done < limit; ++done) {
    take_merged();
    more_merged_ = merger_->next();
  }
  if (!more_merged_ && !pending_.empty()) end_side();
  return more_merged_;
}

/// Keys come sorted by source side and target side, a rule before its orientation.
void RuleImport::take_merged() {
  const std::span<const std::uint8_t> key = merger_->key();
  const ImportedLine& record = merger_->sum();
  const std::span<const std::uint8_t> source = key.first(record.source_size);
  const std::span<const std::uint8_t> target =
      key.subspan(record.source_size, record.rule_size - record.source_size);
  const std::span<const std::uint8_t> rest = key.subspan(record.rule_size + std::size_t{1});
  const Kind kind = static_cast<Kind>(key[record.rule_size]);
  const bool same_side = !pending_.empty() && sorting::compare(source, source_) == 0;
  bool same_rule = same_side;
  if (same_rule) {
    const Pending& last = pending_.back();
    same_rule = sorting::compare(target, {side_bytes_.data() + last.target, last.links - last.target}) == 0;
  }
  in_orientation_ = kind == kOrientation;
  if (record.times > 1 || (same_rule && (kind == kRule || pending_.back().oriented)))
    throw LineError("the rule occurs twice", record.line, "each pair of source and target side may occur only once");
  if (kind == kOrientation) {
    if (!same_rule) return;  // for a rule that is not in the table
    Pending& rule = pending_.back();
    std::memcpy(side_bytes_.data() + rule.values + orientation_at() * sizeof(float), rest.data(),
                rest.size());
    rule.oriented = true;
    return;
  }
  if (!same_side) {
    if (!pending_.empty()) end_side();
    source_.assign(source.begin(), source.end());
  }
  std::uint16_t links;
  std::memcpy(&links, rest.data(), sizeof links);
  Pending rule{side_bytes_.size(), 0, 0, false};
  append(side_bytes_, target.data(), target.size());
  rule.links = side_bytes_.size();
  append(side_bytes_, rest.data() + sizeof links, links);
  rule.values = side_bytes_.size();
  append(side_bytes_, rest.data() + sizeof links + links, rest.size() - sizeof links - links);
  pending_.push_back(rule);
}

void RuleImport::end_side() {
  const std::span<const std::uint8_t> bytes(side_bytes_);
  stage_->add_side(source_, static_cast<std::uint32_t>(pending_.size()));
  for (const Pending& rule : pending_) {
    stage_->add_rule(bytes.subspan(rule.target, rule.links - rule.target),
                     bytes.subspan(rule.links, rule.values - rule.links), side_bytes_.data() + rule.values,
                     {});
    if (!rule.oriented) ++without_orientation_;
  }
  pending_.clear();
  side_bytes_.clear();
}

bool RuleImport::resolve(std::size_t limit) {
  if (!merger_ || more_merged_) throw std::logic_error("rules are to be merged first");
  if (!resolving_) {
    resolving_ = true;
    stage_->begin_targets();
  }
  return stage_->resolve(limit, [](std::span<const TargetShare>, std::span<TargetFacts>) {});
}

bool RuleImport::write(std::size_t limit, std::size_t best_column) {
  if (!resolving_ || stage_->more_targets()) throw std::logic_error("target sides are to be resolved first");
  if (!writing_) {
    writing_ = true;
    stage_->begin_sides();
  }
  std::span<const std::uint8_t> source;
  for (std::size_t done = 0; done < limit; done += staged_.size()) {
    if (!stage_->next_side(source, staged_)) {
      writer_.finish();
      return false;
    }
    write_side(source, best_column);
  }
  return true;
}

void RuleImport::write_side(std::span<const std::uint8_t> source, std::size_t best_column) {
  const auto values = [this](const StagedRule& rule) {
    values_.resize(value_count());
    std::memcpy(values_.data(), rule.values.data(), rule.values.size());
    return std::span<const float>(values_);
  };
  if (best_column < columns_.size())
    std::stable_sort(staged_.begin(), staged_.end(), [&](const StagedRule& a, const StagedRule& b) {
      const float left = values(a)[best_column];
      return left > values(b)[best_column];
    });
  decode_source(source.data(), symbols_);
  writer_.add_side(symbols_);
  for (const StagedRule& rule : staged_) {
    const std::span<const float> all = values(rule);
    const auto orientation = all.subspan(orientation_at(), TableArrays::kOrientations);
    const auto counts = all.subspan(counts_at(), TableArrays::kCounts);
    writer_.add_rule(rule.facts.phrase, static_cast<Shape>(rule.target.back()), rule.links,
                     all.first(columns_.size()), has_counts_ ? counts : std::span<const float>(),
                     has_orientation_ ? orientation : std::span<const float>());
  }
}

}  // namespace isogloss::grammar
