#include "grammar/table_writer.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/hash.hpp"
#include "grammar/table.hpp"

namespace isogloss::grammar {
namespace {

bool comes_before(WordId a, WordId b) { return a == kGap ? b != kGap : b != kGap && a < b; }

}  // namespace

TableWriter::TableWriter() { path_nodes_.push_back(0); }

void TableWriter::add_side(std::span<const WordId> symbols) {
  if (node_count_ == 0) {
    for (const std::uint32_t field : {0u, kNoWord, 0u}) rows_.nodes.push_back(field);
    node_count_ = 1;
  }
  const auto [old_end, new_end] = std::mismatch(path_.begin(), path_.end(), symbols.begin(), symbols.end());
  if (new_end == symbols.end() || (old_end != path_.end() && !comes_before(*old_end, *new_end)))
    throw std::invalid_argument("source sides must come in order, each once");
  const auto shared = static_cast<std::size_t>(new_end - symbols.begin());
  path_nodes_.resize(shared + 1);
  for (std::size_t i = shared; i < symbols.size(); ++i) {
    if (node_count_ == std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("a rule table holds at most 2^32 - 1 prefixes of source sides");
    for (const std::uint32_t field :
         {path_nodes_.back(), symbols[i], static_cast<std::uint32_t>(rule_count_)})
      rows_.nodes.push_back(field);
    path_nodes_.push_back(node_count_++);
  }
  path_.assign(symbols.begin(), symbols.end());
  ++side_count_;
}

void TableWriter::add_rule(std::uint32_t phrase, Shape shape, std::span<const std::uint8_t> links,
                           std::span<const float> scores, std::span<const float> counts,
                           std::span<const float> orientation) {
  if (link_count_ > std::numeric_limits<std::uint32_t>::max() ||
      rule_count_ >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a rule table holds at most 2^32 - 1 rules with 2^32 links together");
  rows_.rules.push_back(phrase << 2 | static_cast<std::uint32_t>(shape));
  rows_.rules.push_back(static_cast<std::uint32_t>(link_count_));
  for (std::size_t i = 0; i + 1 < links.size(); i += 2) {
    rows_.links.push_back(links[i + 1]);
    rows_.links.push_back(links[i]);
  }
  link_count_ += links.size() / 2;
  rows_.scores.append(scores.data(), scores.size());
  rows_.counts.append(counts.data(), counts.size());
  rows_.orientation.append(orientation.data(), orientation.size());
  ++rule_count_;
}

void TableWriter::finish() {
  if (node_count_ == 0)
    for (const std::uint32_t field : {0u, kNoWord, 0u}) rows_.nodes.push_back(field);
  for (const std::uint32_t field : {kNoWord, kNoWord, static_cast<std::uint32_t>(rule_count_)})
    rows_.nodes.push_back(field);
  rows_.rules.push_back(0);
  rows_.rules.push_back(static_cast<std::uint32_t>(link_count_));
}

Slots build_slots(std::span<const std::uint32_t> nodes) {
  const std::size_t count =
      nodes.size() / TableArrays::kNodeFields - 1;  // the last row only closes the rules
  std::size_t size = 16;
  while (size < 2 * count) size *= 2;
  Slots slots;
  slots.table.resize(2 * size);
  for (std::size_t node = 1; node < count; ++node) {
    const std::uint32_t* row = nodes.data() + node * TableArrays::kNodeFields;
    const std::uint64_t hash = RuleTable::child_hash(row[0], row[1]);
    std::size_t at = hash & (size - 1);
    std::uint32_t probes = 1;
    for (; slots.table[2 * at + 1] != 0; ++probes) at = (at + 1) & (size - 1);
    slots.table[2 * at] = static_cast<std::uint32_t>(hash >> 32);
    slots.table[2 * at + 1] = static_cast<std::uint32_t>(node);
    slots.longest_probe = std::max(slots.longest_probe, probes);
  }
  return slots;
}

}  // namespace isogloss::grammar
