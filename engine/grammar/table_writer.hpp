#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "grammar/symbols.hpp"

namespace isogloss::grammar {

/// Lays rules out as the arrays that RuleTable reads. Source sides come in the order of their codes, each
/// once; rows can be taken away as they get ready, so that a table need not fit in memory.
class TableWriter {
 public:
  /// Rows finished since they were last taken; see TableArrays for what they mean.
  struct Rows {
    Buffer<std::uint32_t> nodes;
    Buffer<std::uint32_t> rules;
    Buffer<std::uint8_t> links;
    Buffer<float> scores;
    Buffer<float> counts;
    Buffer<float> orientation;
  };

  TableWriter();

  /// Opens a source side; its rules follow. Throws std::invalid_argument if it does not come after the last.
  void add_side(std::span<const WordId> symbols);

  /// Links are (target, source symbol) bytes. Columns may be empty, but then for all rules.
  void add_rule(std::uint32_t phrase, Shape shape, std::span<const std::uint8_t> links,
                std::span<const float> scores, std::span<const float> counts,
                std::span<const float> orientation);

  /// Closes the last side. No more sides after this.
  void finish();

  Rows take() { return std::exchange(rows_, {}); }
  std::uint64_t rules() const { return rule_count_; }
  std::uint64_t sides() const { return side_count_; }

 private:
  Rows rows_;
  std::vector<WordId> path_;
  std::vector<std::uint32_t> path_nodes_;  // nodes of the prefixes of path_; the root first
  std::uint32_t node_count_ = 0;
  std::uint64_t rule_count_ = 0, link_count_ = 0, side_count_ = 0;
};

/// The hash table from (node, symbol) to child for rows of nodes, and the longest way to any entry. Not a
/// base/index.hpp: it is part of the stored form, and the longest way bounds the search in a damaged file.
struct Slots {
  Buffer<std::uint32_t> table;
  std::uint32_t longest_probe = 0;
};
Slots build_slots(std::span<const std::uint32_t> nodes);

}  // namespace isogloss::grammar
