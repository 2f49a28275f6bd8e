#include "nbest/sparse.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/offsets.hpp"

namespace isogloss::nbest {

void SparseView::check() const {
  if (candidate_offsets.empty() || event_offsets.empty())
    throw std::invalid_argument("sparse features: no offsets");
  check_offsets(candidate_offsets, candidate_offsets.size() - 1, events.size(), "events of candidates");
  check_offsets(event_offsets, event_offsets.size() - 1, features.size(), "features of events");
  if (event_counts.size() != events.size() || feature_values.size() != features.size())
    throw std::invalid_argument("sparse features: values and columns differ in number");
  for (std::uint32_t event : events)
    if (event + std::size_t{1} >= event_offsets.size())
      throw std::invalid_argument("sparse features: an event that does not exist");
}

void materialize(const SparseView& sparse, std::span<const std::int64_t> rows, Ragged<std::uint32_t>& columns,
                 Buffer<float>& values) {
  std::vector<std::pair<std::uint32_t, float>> row_features;
  const auto candidates = static_cast<std::int64_t>(sparse.candidate_offsets.size()) - 1;
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= candidates) throw std::out_of_range("no candidate has that row");
    row_features.clear();
    for (auto i = sparse.candidate_offsets[static_cast<std::size_t>(row)];
         i < sparse.candidate_offsets[static_cast<std::size_t>(row) + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::size_t event = sparse.events[at];
      for (auto k = static_cast<std::size_t>(sparse.event_offsets[event]);
           k < static_cast<std::size_t>(sparse.event_offsets[event + 1]); ++k)
        row_features.emplace_back(sparse.features[k], sparse.event_counts[at] * sparse.feature_values[k]);
    }
    // Stable, so that equal columns are added in the order of events whatever the library's sort does.
    std::stable_sort(row_features.begin(), row_features.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t begin = values.size();
    for (const auto& [column, value] : row_features) {
      if (values.size() > begin && columns.values.back() == column) {
        values.back() += value;
      } else {
        columns.values.push_back(column);
        values.push_back(value);
      }
    }
    columns.end_row();
  }
}

}  // namespace isogloss::nbest
