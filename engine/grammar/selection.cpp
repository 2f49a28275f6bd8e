#include "grammar/selection.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::grammar {
namespace {

constexpr std::uint32_t kUnused = 0xffffffffu;

}  // namespace

TableSelection::TableSelection(const RuleTable& table, std::span<const std::uint8_t> keep)
    : table_(&table), keep_(keep), new_number_(table.phrase_count(), kUnused) {
  if (keep.size() != table.rule_count()) throw std::invalid_argument("one mark for each rule is expected");
  for (std::uint32_t rule = 0; rule < table.rule_count(); ++rule) {
    if (keep[rule] == 0) continue;
    const std::uint32_t phrase = table.target_code(rule) >> 2;
    if (phrase >= new_number_.size()) throw TableError("a target phrase does not exist");
    new_number_[phrase] = 0;
  }
  std::uint32_t next = 0;
  for (std::uint32_t& number : new_number_)
    if (number != kUnused) number = next++;
}

bool TableSelection::write(std::size_t limit) {
  const std::uint32_t end = table_->node_count();
  for (std::size_t done = 0; done < limit && node_ < end; ++done, ++node_) {
    if (!table_->has_rules(node_)) continue;
    const SideView side = table_->side(node_);
    const auto* first = keep_.data() + side.first_rule;
    if (std::any_of(first, keep_.data() + side.last_rule, [](std::uint8_t mark) { return mark != 0; }))
      write_side(side);
  }
  if (node_ < end) return true;
  writer_.finish();
  return false;
}

void TableSelection::write_side(const SideView& side) {
  table_->symbols(side.node, symbols_);
  writer_.add_side(symbols_);
  for (std::uint32_t number = side.first_rule; number < side.last_rule; ++number) {
    if (keep_[number] == 0) continue;
    const RuleView rule = table_->rule(number, side);
    links_.clear();
    for (std::size_t i = 0; i < rule.links.size(); i += 2) {
      links_.push_back(rule.links[i + 1]);
      links_.push_back(rule.links[i]);
    }
    writer_.add_rule(new_number_[rule.phrase], rule.shape, links_, table_->scores(number),
                     table_->counts(number), table_->orientation(number));
  }
}

RuleStage::Phrases TableSelection::phrases() const {
  RuleStage::Phrases phrases;
  for (std::uint32_t number = 0; number < new_number_.size(); ++number) {
    if (new_number_[number] == kUnused) continue;
    const std::span<const WordId> words = table_->phrase(number);
    phrases.words.append(words.data(), words.size());
    phrases.ends.push_back(static_cast<std::uint32_t>(phrases.words.size()));
  }
  return phrases;
}

}  // namespace isogloss::grammar
