#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "grammar/symbols.hpp"

namespace isogloss::grammar {

/// A stored rule table is not what its own arrays say it is.
struct TableError : std::invalid_argument {
  explicit TableError(const std::string& problem) : std::invalid_argument("rule table: " + problem) {}
};

/// The arrays of a rule table, as they are stored and mapped. Source sides are the paths of a trie whose
/// nodes are numbered in the order of the sides' codes; the root is 0. The rules of a node are
/// [first rule, next node's first rule).
struct TableArrays {
  static constexpr std::size_t kNodeFields = 3;
  static constexpr std::size_t kOrientations = 6;
  static constexpr std::size_t kCounts = 4;

  std::span<const std::uint32_t> nodes;  ///< parent, symbol, first rule; one row more than nodes
  std::span<const std::uint32_t> slots;  ///< hash fragment, child; a power of two of them, child 0 is free
  std::span<const std::uint32_t> rules;  ///< 4 * phrase + shape, first link; one row more than rules
  std::span<const std::uint8_t> links;   ///< source symbol, target word
  std::span<const std::uint32_t> phrase_ends;  ///< end of each target phrase in `words`
  std::span<const WordId> words;               ///< of all target phrases
  std::span<const float> scores;               ///< `columns` natural logarithms for each rule
  std::span<const float> orientation;          ///< previous monotone, swap, discontinuous; next; or empty
  std::span<const float> counts;               ///< rule, source side, target side, times seen; or empty
  std::size_t columns = 0;
  std::size_t source_words = 0, target_words = 0;  ///< sizes of the vocabularies
  std::uint32_t longest_probe = 0;
};

/// A source side as the search sees it.
struct SideView {
  std::uint32_t node;
  std::uint32_t first_rule, last_rule;  ///< [first, last) are its rules
  std::uint8_t length, gaps;            ///< symbols, and how many of them are gaps
};

/// A rule as the search sees it. Its shape has the side's gaps; word numbers and links are in range.
struct RuleView {
  std::uint32_t phrase;
  Shape shape;
  std::span<const WordId> words;
  std::span<const std::uint8_t> links;  ///< (source symbol, target word) pairs in order of target words
};

/// Reads a stored rule table in place. How to use it:
///
/// 1. Walk: `child(node, word)` and `gap_child(node)` from `root`; kNoNode says that no side goes on so.
///    SideMatcher does this for all of a sentence.
/// 2. Where a node has rules it is a source side: `side(node)`. Its rules have consecutive numbers, the most
///    probable translation first.
/// 3. Each rule: `rule(number, side)`; its columns: `scores(number)`, `orientation(number)`,
/// `counts(number)`.
///
/// Nothing in the arrays is believed: what leads outside of them throws TableError where it is met, so that
/// a damaged or hostile file can give wrong answers but not a crash. Any number of threads may read.
class RuleTable {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNoNode = 0;  ///< the root is nobody's child

  /// Throws TableError if the sizes of the arrays do not match.
  explicit RuleTable(const TableArrays& arrays);

  static std::uint64_t child_hash(Node node, WordId symbol) {
    return mix64(std::uint64_t{node} << 32 | symbol);
  }

  /// The node reached from `node` by a word, or kNoNode. `node` must be one the table gave.
  Node child(Node node, WordId word) const {
    const std::uint64_t hash = child_hash(node, word);
    const auto fragment = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & slot_mask_;
    for (std::uint32_t probe = 0; probe < arrays_.longest_probe; ++probe, at = (at + 1) & slot_mask_) {
      const Node found = arrays_.slots[2 * at + 1];
      if (found == kNoNode) return kNoNode;
      if (arrays_.slots[2 * at] == fragment && found < nodes_ && parent(found) == node &&
          symbol(found) == word)
        return found;
    }
    return kNoNode;
  }

  /// The node reached from `node` by a gap, or kNoNode: gaps come first in the order.
  Node gap_child(Node node) const {
    const Node next = node + 1;
    return next < nodes_ && parent(next) == node && symbol(next) == kGap ? next : kNoNode;
  }

  bool has_children(Node node) const { return node + 1 < nodes_ && parent(node + 1) == node; }

  bool has_rules(Node node) const { return first_rule(node) != first_rule(node + 1); }

  SideView side(Node node) const;

  RuleView rule(std::uint32_t number, const SideView& side) const;

  /// The columns of a rule below `rule_count()`: `columns()` natural logarithms.
  std::span<const float> scores(std::uint32_t rule) const {
    return arrays_.scores.subspan(rule * arrays_.columns, arrays_.columns);
  }

  /// Logarithms for previous monotone, swap, discontinuous, next the same; empty if the table has none.
  std::span<const float> orientation(std::uint32_t rule) const {
    if (arrays_.orientation.empty()) return {};
    return arrays_.orientation.subspan(rule * TableArrays::kOrientations, TableArrays::kOrientations);
  }

  /// Count of the rule, of its source side, of its target side, times seen; empty if the table has none.
  std::span<const float> counts(std::uint32_t rule) const {
    if (arrays_.counts.empty()) return {};
    return arrays_.counts.subspan(rule * TableArrays::kCounts, TableArrays::kCounts);
  }

  /// Target phrase and shape of a rule, 4 * phrase + shape, not checked.
  std::uint32_t target_code(std::uint32_t rule) const { return arrays_.rules[2 * std::size_t{rule}]; }

  /// Words of a target phrase; throws TableError if there is no such phrase.
  std::span<const WordId> phrase(std::uint32_t number) const;

  /// Symbols of the path from the root to `node`, in `out`.
  void symbols(Node node, std::vector<WordId>& out) const;

  std::uint32_t node_count() const { return nodes_; }
  std::uint32_t rule_count() const { return rules_; }
  std::size_t phrase_count() const { return arrays_.phrase_ends.size(); }
  std::size_t columns() const { return arrays_.columns; }
  Node parent(Node node) const { return arrays_.nodes[node * TableArrays::kNodeFields]; }
  WordId symbol(Node node) const { return arrays_.nodes[node * TableArrays::kNodeFields + 1]; }

 private:
  std::uint32_t first_rule(Node node) const { return arrays_.nodes[node * TableArrays::kNodeFields + 2]; }

  TableArrays arrays_;
  std::uint32_t nodes_ = 0, rules_ = 0;
  std::size_t slot_mask_ = 0;
};

}  // namespace isogloss::grammar
