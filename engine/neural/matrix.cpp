#include "neural/matrix.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

// One body for each kernel, compiled for several sets of instructions; the machine's best is taken when it runs.
#if defined(__x86_64__) && defined(__GNUC__)
#define ISOGLOSS_WIDE_VECTORS 1
#else
#define ISOGLOSS_WIDE_VECTORS 0
#endif
#if defined(__GNUC__)
#define ISOGLOSS_INLINE inline __attribute__((always_inline))
#else
#define ISOGLOSS_INLINE inline
#endif

namespace isogloss::neural {
namespace {

constexpr std::size_t kRows = 6;  // of a tile; with kLanes columns its sums fit the registers

/// kLanes numbers that compilers keep in as many registers as the machine needs for them.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

/// `rows` rows of one panel of kLanes columns.
template <std::size_t rows>
ISOGLOSS_INLINE void tile(std::size_t inner, MatrixView a, const float* panel, float* out, std::size_t out_stride,
                          bool add) {
  Lanes sums[rows] = {};
  for (std::size_t k = 0; k < inner; ++k) {
    Lanes b;
    std::memcpy(&b, panel + k * kLanes, sizeof(b));
    const float* column = a.data + k * a.column_stride;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i) sums[i] += column[i * a.row_stride] * b;
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i) {
    Lanes row;
    std::memcpy(&row, out + i * out_stride, sizeof(row));
    sums[i] = add ? row + sums[i] : sums[i];
    std::memcpy(out + i * out_stride, &sums[i], sizeof(row));
  }
}

ISOGLOSS_INLINE void multiply_panel(std::size_t rows, std::size_t inner, MatrixView a, const float* panel, float* out,
                                    std::size_t out_stride, bool add) {
  std::size_t i = 0;
  for (; i + kRows <= rows; i += kRows)
    tile<kRows>(inner, {a.data + i * a.row_stride, a.row_stride, a.column_stride}, panel, out + i * out_stride,
                out_stride, add);
  for (; i < rows; ++i)
    tile<1>(inner, {a.data + i * a.row_stride, a.row_stride, a.column_stride}, panel, out + i * out_stride, out_stride,
            add);
}

ISOGLOSS_INLINE float sum_of(const float* lanes) {
  float half[kLanes / 2], quarter[kLanes / 4];
  for (std::size_t i = 0; i < kLanes / 2; ++i) half[i] = lanes[i] + lanes[i + kLanes / 2];
  for (std::size_t i = 0; i < kLanes / 4; ++i) quarter[i] = half[i] + half[i + kLanes / 4];
  return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

ISOGLOSS_INLINE float dot_body(const float* a, const float* b, std::size_t size) {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j) lanes[j] += a[i + j] * b[i + j];
  return sum_of(lanes);
}

template <std::size_t count>
ISOGLOSS_INLINE float rectified_body(const float* const* vectors, const float* weights, std::size_t size) {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j) {
      float sum = vectors[0][i + j];
      for (std::size_t v = 1; v < count; ++v) sum += vectors[v][i + j];
      lanes[j] += std::max(sum, 0.0f) * weights[i + j];
    }
  return sum_of(lanes);
}

ISOGLOSS_INLINE float rectified_any(const float* const* vectors, std::size_t count, const float* weights,
                                    std::size_t size) {
  switch (count) {
    case 1: return rectified_body<1>(vectors, weights, size);
    case 2: return rectified_body<2>(vectors, weights, size);
    case 3: return rectified_body<3>(vectors, weights, size);
    case 4: return rectified_body<4>(vectors, weights, size);
    case 5: return rectified_body<5>(vectors, weights, size);
    default: break;
  }
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
    for (std::size_t j = 0; j < kLanes; ++j) {
      float sum = vectors[0][i + j];
      for (std::size_t v = 1; v < count; ++v) sum += vectors[v][i + j];
      lanes[j] += std::max(sum, 0.0f) * weights[i + j];
    }
  return sum_of(lanes);
}

#define ISOGLOSS_KERNELS(name, attributes)                                                                            \
  attributes void panel_##name(std::size_t rows, std::size_t inner, MatrixView a, const float* panel, float* out,     \
                               std::size_t out_stride, bool add) {                                                    \
    multiply_panel(rows, inner, a, panel, out, out_stride, add);                                                      \
  }                                                                                                                   \
  attributes float dot_##name(const float* a, const float* b, std::size_t size) { return dot_body(a, b, size); }      \
  attributes float rectified_##name(const float* const* vectors, std::size_t count, const float* weights,             \
                                    std::size_t size) {                                                               \
    return rectified_any(vectors, count, weights, size);                                                              \
  }                                                                                                                   \
  constexpr Kernels k##name{panel_##name, dot_##name, rectified_##name};

struct Kernels {
  void (*panel)(std::size_t, std::size_t, MatrixView, const float*, float*, std::size_t, bool);
  float (*dot)(const float*, const float*, std::size_t);
  float (*rectified)(const float* const*, std::size_t, const float*, std::size_t);
};

ISOGLOSS_KERNELS(Plain, )
#if ISOGLOSS_WIDE_VECTORS
ISOGLOSS_KERNELS(Avx2, __attribute__((target("avx2,fma"))))
ISOGLOSS_KERNELS(Avx512, __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512"))))
#endif
#undef ISOGLOSS_KERNELS

const Kernels& kernels() {
#if ISOGLOSS_WIDE_VECTORS
  static const Kernels chosen = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
      return kAvx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? kAvx2 : kPlain;
  }();
  return chosen;
#else
  return kPlain;
#endif
}

}  // namespace

void multiply(std::size_t rows, std::size_t columns, std::size_t inner, MatrixView a, MatrixView b, float* out,
              std::size_t out_stride, bool add) {
  thread_local std::vector<float> panel;
  panel.resize(inner * kLanes);
  for (std::size_t first = 0; first < columns; first += kLanes) {
    for (std::size_t k = 0; k < inner; ++k) {
      const float* from = b.data + k * b.row_stride + first * b.column_stride;
      if (b.column_stride == 1)
        std::memcpy(panel.data() + k * kLanes, from, kLanes * sizeof(float));
      else
        for (std::size_t j = 0; j < kLanes; ++j) panel[k * kLanes + j] = from[j * b.column_stride];
    }
    kernels().panel(rows, inner, a, panel.data(), out + first, out_stride, add);
  }
}

float dot(const float* a, const float* b, std::size_t size) { return kernels().dot(a, b, size); }

float rectified_dot(const float* const* vectors, std::size_t count, const float* weights, std::size_t size) {
  return kernels().rectified(vectors, count, weights, size);
}

}  // namespace isogloss::neural
