#include "grammar/stage.hpp"

#include <limits>
#include <stdexcept>

#include "grammar/symbols.hpp"

namespace isogloss::grammar {
namespace {

void put_number(std::uint32_t number, std::uint8_t* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(number >> (8 * (3 - i)));
}

}  // namespace

RuleStage::RuleStage(ScratchSpace& scratch, std::size_t memory, std::size_t value_size)
    : value_size_(value_size),
      file_(scratch.new_file()),
      by_target_(scratch, memory),
      by_rule_(scratch, memory) {}

void RuleStage::add_side(std::span<const std::uint8_t> source, std::uint32_t rules) {
  const SideHead head{rules, static_cast<std::uint16_t>(source.size())};
  file_.write(&head, sizeof head);
  file_.write(source.data(), source.size());
}

void RuleStage::add_rule(std::span<const std::uint8_t> target, std::span<const std::uint8_t> links,
                         const void* values, const TargetShare& share) {
  if (rules_ >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a rule table holds at most 2^32 - 1 rules");
  const RuleHead head{static_cast<std::uint16_t>(target.size()), static_cast<std::uint16_t>(links.size())};
  file_.write(&head, sizeof head);
  file_.write(target.data(), target.size());
  file_.write(links.data(), links.size());
  file_.write(values, value_size_);
  key_.assign(target.begin(), target.end());
  key_.resize(target.size() + 4);
  put_number(static_cast<std::uint32_t>(rules_++), key_.data() + target.size());
  by_target_.add(key_, share);
}

void RuleStage::begin_targets() {
  targets_.emplace(by_target_.finish());
  more_targets_ = targets_->next();
}

/// Target sides with the same phrase stand together, whatever gaps follow it.
void RuleStage::number_phrase(std::span<const std::uint8_t> target) {
  const std::span<const std::uint8_t> phrase = target.first(target.size() - 1);
  if (phrase_count_ > 0 && sorting::compare(phrase, phrase_) == 0) return;
  phrase_.assign(phrase.begin(), phrase.end());
  const std::uint8_t* const end = phrase.data() + phrase.size();
  for (const std::uint8_t* at = phrase.data(); at < end; ++phrase_words_)
    phrases_.words.push_back(static_cast<WordId>(codes::get(at) - codes::kTargetWords));
  if (phrase_words_ > std::numeric_limits<std::uint32_t>::max() || phrase_count_ >= 1u << 30)
    throw std::length_error("a rule table holds at most 2^30 target phrases of 2^32 words together");
  phrases_.ends.push_back(static_cast<std::uint32_t>(phrase_words_));
  ++phrase_count_;
}

void RuleStage::end_target(std::span<TargetFacts> facts) {
  std::uint64_t count = 0;
  for (const TargetShare& share : shares_) count += share.count;
  std::uint8_t key[4];
  for (std::size_t i = 0; i < facts.size(); ++i) {
    facts[i].phrase = static_cast<std::uint32_t>(phrase_count_ - 1);
    facts[i].sources = static_cast<std::uint32_t>(facts.size());
    facts[i].count = static_cast<double>(count);
    put_number(members_[i], key);
    by_rule_.add(key, facts[i]);
  }
}

void RuleStage::begin_sides() {
  targets_.reset();
  resolved_.emplace(by_rule_.finish());
  reader_.emplace(std::move(file_));
}

bool RuleStage::next_side(std::span<const std::uint8_t>& source, std::vector<StagedRule>& rules) {
  rules.clear();
  SideHead side;
  const std::uint8_t* data = reader_->fetch(sizeof side);
  if (data == nullptr) return false;
  std::memcpy(&side, data, sizeof side);
  side_.clear();
  const auto take = [this](std::size_t size) {
    const std::uint8_t* bytes = reader_->fetch(size);
    if (bytes == nullptr) throw std::runtime_error("a scratch file has shrunk while it was in use");
    side_.insert(side_.end(), bytes, bytes + size);
  };
  take(side.source_size);
  heads_.resize(side.rules);
  for (RuleHead& head : heads_) {
    data = reader_->fetch(sizeof head);
    if (data == nullptr) throw std::runtime_error("a scratch file has shrunk while it was in use");
    std::memcpy(&head, data, sizeof head);
    take(head.target_size + head.links_size + value_size_);
  }
  const std::uint8_t* at = side_.data();
  const auto view = [&at](std::size_t size) {
    return std::span<const std::uint8_t>(std::exchange(at, at + size), size);
  };
  source = view(side.source_size);
  for (const RuleHead& head : heads_) {
    if (!resolved_->next()) throw std::runtime_error("a scratch file has shrunk while it was in use");
    StagedRule& rule = rules.emplace_back();
    rule.target = view(head.target_size);
    rule.links = view(head.links_size);
    rule.values = view(value_size_);
    rule.facts = resolved_->sum();
  }
  return true;
}

}  // namespace isogloss::grammar
