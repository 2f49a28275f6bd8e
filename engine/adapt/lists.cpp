#include "adapt/lists.hpp"

#include <cmath>
#include <stdexcept>

#include "base/offsets.hpp"

namespace isogloss::adapt {

void CandidateLists::check() const {
  if (offsets.empty()) throw std::invalid_argument("candidate lists: no offsets");
  if (offsets.back() < 0) throw std::invalid_argument("candidate lists: the offsets do not match the values");
  check_offsets(offsets, examples(), rows(), "candidate lists");
  for (std::size_t j = 0; j < examples(); ++j)
    if (offsets[j] == offsets[j + 1]) throw std::invalid_argument("candidate lists: an example has no candidate");
  if (dense.size() != rows() * dense_size) throw std::invalid_argument("candidate lists: dense rows are missing");
  for (double value : dense)
    if (!std::isfinite(value)) throw std::invalid_argument("candidate lists: a feature is not a finite number");
  if (!constants.empty() && constants.size() != rows())
    throw std::invalid_argument("candidate lists: one constant for each row is expected");
  for (double value : constants)
    if (!std::isfinite(value)) throw std::invalid_argument("candidate lists: a score is not a finite number");
  if (sparse_size == 0) return;
  check_offsets(sparse_offsets, rows(), sparse_columns.size(), "sparse features");
  if (sparse_values.size() != sparse_columns.size())
    throw std::invalid_argument("sparse features: as many values as columns are expected");
  for (std::size_t i = 0; i < sparse_columns.size(); ++i)
    if (sparse_columns[i] >= sparse_size || !std::isfinite(sparse_values[i]))
      throw std::invalid_argument("sparse features: a column that does not exist or a value that is not finite");
}

double CandidateLists::distance(std::size_t a, std::size_t b) const {
  const double *left = dense.data() + a * dense_size, *right = dense.data() + b * dense_size;
  double sum = 0;
  for (std::size_t i = 0; i < dense_size; ++i) sum += (left[i] - right[i]) * (left[i] - right[i]);
  if (sparse_size == 0) return sum;
  auto i = static_cast<std::size_t>(sparse_offsets[a]), i_end = static_cast<std::size_t>(sparse_offsets[a + 1]);
  auto k = static_cast<std::size_t>(sparse_offsets[b]), k_end = static_cast<std::size_t>(sparse_offsets[b + 1]);
  while (i < i_end || k < k_end) {
    double difference = 0;
    const bool take_left = k == k_end || (i < i_end && sparse_columns[i] <= sparse_columns[k]);
    const bool take_right = i == i_end || (k < k_end && sparse_columns[k] <= sparse_columns[i]);
    if (take_left) difference += static_cast<double>(sparse_values[i++]);
    if (take_right) difference -= static_cast<double>(sparse_values[k++]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace isogloss::adapt
