// How the rows of a rule table under construction cross the border.
#pragma once

#include <utility>

#include "bindings/arrays.hpp"
#include "grammar/stage.hpp"
#include "grammar/table.hpp"
#include "grammar/table_writer.hpp"

namespace isogloss::bindings {

inline nb::dict rows_to_dict(grammar::TableWriter::Rows&& rows, std::size_t columns) {
  const auto table = [](auto&& buffer, std::size_t fields) {
    const std::size_t count = fields == 0 ? 0 : buffer.size() / fields;
    return to_numpy(std::move(buffer), {count, fields});
  };
  nb::dict out;
  out["nodes"] = table(std::move(rows.nodes), grammar::TableArrays::kNodeFields);
  out["rules"] = table(std::move(rows.rules), 2);
  out["links"] = table(std::move(rows.links), 2);
  out["scores"] = table(std::move(rows.scores), columns);
  out["counts"] = table(std::move(rows.counts), grammar::TableArrays::kCounts);
  out["orientation"] = table(std::move(rows.orientation), grammar::TableArrays::kOrientations);
  return out;
}

inline std::pair<ArrayOut<WordId>, ArrayOut<std::uint32_t>> phrases_to_numpy(grammar::RuleStage::Phrases&& phrases) {
  return {to_numpy(std::move(phrases.words)), to_numpy(std::move(phrases.ends))};
}

}  // namespace isogloss::bindings
