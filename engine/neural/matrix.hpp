#pragma once

#include <cstddef>

namespace isogloss::neural {

/// A matrix somewhere in memory; either stride may be 1.
struct MatrixView {
  const float* data;
  std::size_t row_stride, column_stride;
};

/// Rows of all results have a multiple of this many columns.
inline constexpr std::size_t kLanes = 16;

/// `out` (rows x columns, row after row, `out_stride` apart) = `a` (rows x inner) times `b` (inner x columns), added to
/// what is there if `add`. `columns` is a multiple of kLanes. Every element is summed in the order of `inner`, whatever
/// part of the product is asked for. The instructions that the machine has are chosen at run time.
void multiply(std::size_t rows, std::size_t columns, std::size_t inner, MatrixView a, MatrixView b, float* out,
              std::size_t out_stride, bool add);

/// Sum of products of `size` numbers, a multiple of kLanes.
float dot(const float* a, const float* b, std::size_t size);

/// `dot` of the positive parts of a + b + ... (`count` vectors) with `weights`.
float rectified_dot(const float* const* vectors, std::size_t count, const float* weights, std::size_t size);

/// Adds `scale` times `values` to `out`.
void add_scaled(float* out, const float* values, float scale, std::size_t size);

/// A step of AdaGrad against `scale * gradient`: `squares` are the sums of all squared gradients so far.
void adagrad(float* values, float* squares, const float* gradient, std::size_t size, float scale, float step);

/// Replaces `size` values, a multiple of kLanes, by exp(value - shift), and returns their sum. Differences are at most
/// 88; below -87, minus infinity included, the result is 0.
float exponentials(float* values, std::size_t size, float shift);

}  // namespace isogloss::neural
