#include "adapt/gains.hpp"

#include <stdexcept>
#include <vector>

#include "base/offsets.hpp"
#include "metric/bleu.hpp"

namespace isogloss::adapt {
namespace {

constexpr std::size_t kReferenceLength = 1;  // the column

}  // namespace

void document_gains(std::span<const std::int32_t> statistics, std::span<const std::int64_t> offsets,
                    std::span<const std::int64_t> chosen, std::size_t order, double decay, std::span<double> gains) {
  const std::size_t columns = metric::bleu_columns(order);
  if (offsets.empty()) throw std::invalid_argument("gains: no offsets");
  check_offsets(offsets, offsets.size() - 1, gains.size(), "gains");
  if (statistics.size() != gains.size() * columns)
    throw std::invalid_argument("gains: a row of statistics for each candidate is expected");
  if (!(decay >= 0 && decay < 1)) throw std::invalid_argument("gains: decay must be at least 0 and below 1");
  const std::size_t examples = offsets.size() - 1;
  if (chosen.size() != examples) throw std::invalid_argument("gains: a chosen candidate for each example is expected");
  for (std::size_t j = 0; j < examples; ++j)
    if (chosen[j] < offsets[j] || chosen[j] >= offsets[j + 1])
      throw std::invalid_argument("gains: a chosen candidate is not one of its example");
  if (examples == 0) return;

  std::vector<double> document(columns, 0.0);
  const auto row_of = [&](std::size_t row) { return statistics.subspan(row * columns, columns); };
  for (std::size_t j = 0; j < examples; ++j) {
    const auto row = row_of(static_cast<std::size_t>(chosen[j]));
    for (std::size_t i = 0; i < columns; ++i) document[i] += row[i];
  }
  for (double& value : document) value *= decay / (1 - decay) / static_cast<double>(examples);

  // A document without a match still has an order.
  const metric::BleuOptions plain{metric::BleuSmoothing::kFloor, 0.1, false};
  for (std::size_t j = 0; j < examples; ++j) {
    const auto begin = static_cast<std::size_t>(offsets[j]), end = static_cast<std::size_t>(offsets[j + 1]);
    metric::bleu_scores<std::int32_t>(statistics.subspan(begin * columns, (end - begin) * columns), document, order,
                                      plain, 1, gains.data() + begin);
    for (std::size_t row = begin; row < end; ++row)
      gains[row] *= document[kReferenceLength] + row_of(row)[kReferenceLength];
    const auto best = row_of(static_cast<std::size_t>(chosen[j]));
    for (std::size_t i = 0; i < columns; ++i) document[i] = decay * (document[i] + best[i]);
  }
}

}  // namespace isogloss::adapt
