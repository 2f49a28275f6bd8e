#include "neural/matrix.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss::neural;

namespace {

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> out(count);
  for (float& value : out) value = number(random);
  return out;
}

}  // namespace

TEST("products of matrices are those of the definition, for any strides and sizes") {
  for (const std::size_t rows : {1, 5, 6, 7, 20})
    for (const std::size_t inner : {1, 3, 33})
      for (const bool turned : {false, true}) {
        const std::size_t columns = 32;
        const std::vector<float> a = random_numbers(rows * inner, 1), b = random_numbers(inner * columns, 2);
        const MatrixView left = turned ? MatrixView{a.data(), 1, rows} : MatrixView{a.data(), inner, 1};
        const MatrixView right = turned ? MatrixView{b.data(), 1, inner} : MatrixView{b.data(), columns, 1};
        std::vector<float> out(rows * columns, 1.0f);
        multiply(rows, columns, inner, left, right, out.data(), columns, true);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) {
            double sum = 1;
            for (std::size_t k = 0; k < inner; ++k)
              sum += static_cast<double>(left.data[i * left.row_stride + k * left.column_stride]) *
                     static_cast<double>(right.data[k * right.row_stride + j * right.column_stride]);
            CHECK_NEAR(static_cast<double>(out[i * columns + j]), sum, 1e-5);
          }
        // Without adding, what was there does not matter; a part of the product is the same as in the whole.
        std::vector<float> again(columns, 7.0f);
        multiply(1, columns, inner, left, right, again.data(), columns, false);
        for (std::size_t j = 0; j < columns; ++j)
          CHECK_NEAR(static_cast<double>(again[j]), static_cast<double>(out[j] - 1), 1e-5);
      }
}

TEST("sums of products of rectified sums, for any number of vectors") {
  const std::size_t size = 48;
  const std::vector<float> numbers = random_numbers(size * 9, 3);
  for (std::size_t count = 1; count <= 8; ++count) {
    std::vector<const float*> vectors;
    for (std::size_t i = 0; i < count; ++i) vectors.push_back(numbers.data() + i * size);
    const float* weights = numbers.data() + 8 * size;
    double sum = 0, plain = 0;
    for (std::size_t j = 0; j < size; ++j) {
      double hidden = 0;
      for (const float* vector : vectors) hidden += static_cast<double>(vector[j]);
      sum += std::max(hidden, 0.0) * static_cast<double>(weights[j]);
      plain += static_cast<double>(numbers[j]) * static_cast<double>(weights[j]);
    }
    CHECK_NEAR(static_cast<double>(rectified_dot(vectors.data(), count, weights, size)), sum, 1e-5);
    CHECK_NEAR(static_cast<double>(dot(numbers.data(), weights, size)), plain, 1e-5);
  }
}
