#include "neural/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

TEST("exponentials are those of the library, and their sum") {
  std::vector<float> values = random_numbers(64, 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= static_cast<float>(i);
  values[3] = -std::numeric_limits<float>::infinity();
  values[4] = -90.0f;
  const std::vector<float> given = values;
  const float shift = 1.5f, sum = exponentials(values.data(), values.size(), shift);
  double expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double one = std::exp(static_cast<double>(given[i]) - static_cast<double>(shift));
    expected += one;
    CHECK_NEAR(static_cast<double>(values[i]), one, 2e-6 * one + 1e-37);
  }
  CHECK(values[3] == 0.0f && values[4] == 0.0f);
  CHECK_NEAR(static_cast<double>(sum), expected, 1e-5 * expected);
}

TEST("steps of AdaGrad, and scaled sums, for any number of values") {
  for (const std::size_t size : {1, 15, 40}) {
    std::vector<float> values = random_numbers(size, 6), squares(size, 0.25f), out = random_numbers(size, 8);
    const std::vector<float> before = values, more = out, gradient = random_numbers(size, 7);
    adagrad(values.data(), squares.data(), gradient.data(), size, 0.5f, 0.1f);
    add_scaled(out.data(), gradient.data(), 3.0f, size);
    for (std::size_t i = 0; i < size; ++i) {
      const double slope = 0.5 * static_cast<double>(gradient[i]), square = 0.25 + slope * slope;
      CHECK_NEAR(static_cast<double>(squares[i]), square, 1e-6);
      CHECK_NEAR(static_cast<double>(values[i]), static_cast<double>(before[i]) - 0.1 * slope / std::sqrt(square), 1e-6);
      CHECK_NEAR(static_cast<double>(out[i]), static_cast<double>(more[i]) + 3 * static_cast<double>(gradient[i]), 1e-5);
    }
  }
}
