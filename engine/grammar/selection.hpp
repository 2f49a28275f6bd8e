#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/stage.hpp"
#include "grammar/table.hpp"
#include "grammar/table_writer.hpp"

namespace isogloss::grammar {

/// Copies the rules that `keep` marks into a table of their own; columns stay as they are.
class TableSelection {
 public:
  /// `keep` has one byte for each rule of the table, not zero for those to copy. Both must stay alive.
  TableSelection(const RuleTable& table, std::span<const std::uint8_t> keep);

  /// Goes through at most `limit` more nodes; false when all are done.
  bool write(std::size_t limit);

  TableWriter::Rows take_rows() { return writer_.take(); }
  std::uint64_t rules() const { return writer_.rules(); }
  std::uint64_t sides() const { return writer_.sides(); }

  /// The target phrases that are still in use, all at once.
  RuleStage::Phrases phrases() const;

 private:
  void write_side(const SideView& side);

  const RuleTable* table_;
  std::span<const std::uint8_t> keep_;
  std::vector<std::uint32_t> new_number_;  // of each phrase
  TableWriter writer_;
  RuleTable::Node node_ = 0;
  std::vector<WordId> symbols_;
  std::vector<std::uint8_t> links_;
};

}  // namespace isogloss::grammar
