#include "lm/merge.hpp"

#include <algorithm>
#include <stdexcept>

namespace isogloss::lm {

RunMerger::RunMerger(unsigned order, std::size_t runs, WordId begin)
    : order_(order), width_(order + 1), begin_(begin), runs_(runs), hungry_(kDone) {}

void RunMerger::feed(std::size_t run, std::span<const std::uint32_t> records) {
  if (run >= runs_.size() || records.size() % width_ != 0)
    throw std::invalid_argument("a run must be fed whole records");
  Run& fed = runs_[run];
  fed.records.assign(records.begin(), records.end());
  fed.at = 0;
  fed.ended = records.empty();
}

bool RunMerger::later(std::size_t a, std::size_t b) const {
  const std::uint32_t* x = head(a);
  const std::uint32_t* y = head(b);
  for (unsigned i = 0; i < order_; ++i)
    if (x[i] != y[i]) return x[i] > y[i];
  return a > b;
}

void RunMerger::pass_on(TrieBuilder& builder) {
  unsigned length = 1;
  while (length < order_ && current_[length - 1] != begin_) ++length;
  builder.add(current_.data(), length, current_.back());
}

std::size_t RunMerger::advance(TrieBuilder& builder) {
  const auto order = [this](std::size_t a, std::size_t b) { return later(a, b); };
  const auto push = [&](std::size_t run) {
    heap_.push_back(run);
    std::push_heap(heap_.begin(), heap_.end(), order);
  };
  // Nothing may be passed on before every run shows its first record.
  for (; waiting_ < runs_.size(); ++waiting_) {
    const Run& run = runs_[waiting_];
    if (run.ended) continue;
    if (run.records.empty()) return waiting_;
    push(waiting_);
  }
  if (hungry_ != kDone) {
    if (!runs_[hungry_].ended) {
      if (runs_[hungry_].at == runs_[hungry_].records.size()) return hungry_;
      push(hungry_);
    }
    hungry_ = kDone;
  }
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), order);
    const std::size_t run = heap_.back();
    heap_.pop_back();
    const std::uint32_t* record = head(run);
    if (has_current_ && std::equal(record, record + order_, current_.begin())) {
      current_.back() += record[order_];
    } else {
      if (has_current_) pass_on(builder);
      current_.assign(record, record + width_);
      has_current_ = true;
    }
    runs_[run].at += width_;
    if (runs_[run].at == runs_[run].records.size()) return hungry_ = run;
    push(run);
  }
  if (has_current_) pass_on(builder);
  has_current_ = false;
  return kDone;
}

}  // namespace isogloss::lm
