#include "neural/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
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

/// As many numbers as one register has. A wider type would be kept in memory, which costs ten times as much.
template <std::size_t width>
struct Register {
  using Floats [[gnu::vector_size(width * sizeof(float))]] = float;
  using Integers [[gnu::vector_size(width * sizeof(float))]] = std::int32_t;
};
template <std::size_t width>
using Floats = typename Register<width>::Floats;

template <std::size_t width>
ISOGLOSS_INLINE void load(Floats<width>& to, const float* from) {
  std::memcpy(&to, from, sizeof(to));
}

template <std::size_t width>
ISOGLOSS_INLINE void store(float* to, const Floats<width>& from) {
  std::memcpy(to, &from, sizeof(from));
}

template <std::size_t width>
ISOGLOSS_INLINE float sum_of(const Floats<width>* sums) {
  float lanes[kLanes], half[kLanes / 2], quarter[kLanes / 4];
  std::memcpy(lanes, sums, sizeof(lanes));
  for (std::size_t i = 0; i < kLanes / 2; ++i) half[i] = lanes[i] + lanes[i + kLanes / 2];
  for (std::size_t i = 0; i < kLanes / 4; ++i) quarter[i] = half[i] + half[i + kLanes / 4];
  return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/// `rows` rows of one panel of kLanes columns.
template <std::size_t width, std::size_t rows>
ISOGLOSS_INLINE void tile(std::size_t inner, MatrixView a, const float* panel, float* out, std::size_t out_stride,
                          bool add) {
  constexpr std::size_t kParts = kLanes / width;
  Floats<width> sums[rows][kParts] = {};
  for (std::size_t k = 0; k < inner; ++k) {
    Floats<width> b[kParts];
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) load<width>(b[part], panel + k * kLanes + part * width);
    const float* column = a.data + k * a.column_stride;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (std::size_t part = 0; part < kParts; ++part) sums[i][part] += column[i * a.row_stride] * b[part];
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) {
      float* to = out + i * out_stride + part * width;
      Floats<width> before;
      load<width>(before, to);
      store<width>(to, add ? before + sums[i][part] : sums[i][part]);
    }
}

/// `height` is how many rows of a tile fit the registers.
template <std::size_t width, std::size_t height>
ISOGLOSS_INLINE void multiply_panel(std::size_t rows, std::size_t inner, MatrixView a, const float* panel, float* out,
                                    std::size_t out_stride, bool add) {
  std::size_t i = 0;
  for (; i + height <= rows; i += height)
    tile<width, height>(inner, {a.data + i * a.row_stride, a.row_stride, a.column_stride}, panel,
                        out + i * out_stride, out_stride, add);
  for (; i < rows; ++i)
    tile<width, 1>(inner, {a.data + i * a.row_stride, a.row_stride, a.column_stride}, panel, out + i * out_stride,
                   out_stride, add);
}

template <std::size_t width>
ISOGLOSS_INLINE float dot_body(const float* a, const float* b, std::size_t size) {
  constexpr std::size_t kParts = kLanes / width;
  Floats<width> sums[kParts] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) {
      Floats<width> left, right;
      load<width>(left, a + i + part * width);
      load<width>(right, b + i + part * width);
      sums[part] += left * right;
    }
  return sum_of<width>(sums);
}

template <std::size_t width, typename Count>
ISOGLOSS_INLINE float rectified_body(const float* const* vectors, Count count, const float* weights,
                                     std::size_t size) {
  constexpr std::size_t kParts = kLanes / width;
  Floats<width> sums[kParts] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = i + part * width;
      Floats<width> sum, weight;
      load<width>(sum, vectors[0] + at);
      for (std::size_t v = 1; v < count; ++v) {
        Floats<width> more;
        load<width>(more, vectors[v] + at);
        sum += more;
      }
      load<width>(weight, weights + at);
      sums[part] += (sum > 0.0f ? sum : sum - sum) * weight;
    }
  return sum_of<width>(sums);
}

template <std::size_t count>
using Constant = std::integral_constant<std::size_t, count>;

template <std::size_t width>
ISOGLOSS_INLINE float rectified_any(const float* const* vectors, std::size_t count, const float* weights,
                                    std::size_t size) {
  switch (count) {
    case 2: return rectified_body<width>(vectors, Constant<2>(), weights, size);
    case 3: return rectified_body<width>(vectors, Constant<3>(), weights, size);
    case 4: return rectified_body<width>(vectors, Constant<4>(), weights, size);
    case 5: return rectified_body<width>(vectors, Constant<5>(), weights, size);
    default: return rectified_body<width>(vectors, count, weights, size);
  }
}

ISOGLOSS_INLINE void add_scaled_body(float* out, const float* values, float scale, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] += scale * values[i];
}

ISOGLOSS_INLINE void adagrad_body(float* values, float* squares, const float* gradient, std::size_t size, float scale,
                                  float step) {
  constexpr float kTiny = 1e-8f;
  for (std::size_t i = 0; i < size; ++i) {
    const float slope = scale * gradient[i];
    squares[i] += slope * slope;
    values[i] -= step * slope / (std::sqrt(squares[i]) + kTiny);
  }
}

template <std::size_t width>
ISOGLOSS_INLINE float exponentials_body(float* values, std::size_t size, float shift) {
  using Integers = typename Register<width>::Integers;
  constexpr std::size_t kParts = kLanes / width;
  constexpr float kLowest = -87.0f;          // below, the result is as good as 0
  constexpr float kRound = 12582912.0f;      // 1.5 * 2^23: adding it leaves the nearest integer in the last bits
  constexpr float kLog2e = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  Floats<width> sums[kParts] = {};
  for (std::size_t i = 0; i < size; i += kLanes)
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) {
      Floats<width> x;
      load<width>(x, values + i + part * width);
      x -= shift;
      const Integers some = x > kLowest;
      x = some ? x : x - x;  // also of -infinity: the result is left out below
      const Floats<width> rounded = x * kLog2e + kRound;
      const Floats<width> power = rounded - kRound;
      x = x - power * kLn2High - power * kLn2Low;
      Floats<width> e = x * 1.9875691500e-4f + 1.3981999507e-3f;
      e = e * x + 8.3334519073e-3f;
      e = e * x + 4.1665795894e-2f;
      e = e * x + 1.6666665459e-1f;
      e = e * x + 5.0000001201e-1f;
      e = e * x * x + x + 1.0f;
      Integers bits;
      std::memcpy(&bits, &rounded, sizeof(bits));
      bits = (bits + (127 - 0x4b400000)) << 23;
      Floats<width> scale;
      std::memcpy(&scale, &bits, sizeof(scale));
      e *= scale;
      std::memcpy(&bits, &e, sizeof(bits));
      bits &= some;
      std::memcpy(&e, &bits, sizeof(bits));
      sums[part] += e;
      store<width>(values + i + part * width, e);
    }
  return sum_of<width>(sums);
}

struct Kernels {
  void (*panel)(std::size_t, std::size_t, MatrixView, const float*, float*, std::size_t, bool);
  float (*dot)(const float*, const float*, std::size_t);
  float (*rectified)(const float* const*, std::size_t, const float*, std::size_t);
  void (*add_scaled)(float*, const float*, float, std::size_t);
  void (*adagrad)(float*, float*, const float*, std::size_t, float, float);
  float (*exponentials)(float*, std::size_t, float);
};

#define ISOGLOSS_KERNELS(name, width, height, attributes)                                                             \
  attributes void panel_##name(std::size_t rows, std::size_t inner, MatrixView a, const float* panel, float* out,     \
                               std::size_t out_stride, bool add) {                                                    \
    multiply_panel<width, height>(rows, inner, a, panel, out, out_stride, add);                                       \
  }                                                                                                                   \
  attributes float dot_##name(const float* a, const float* b, std::size_t size) { return dot_body<width>(a, b, size); } \
  attributes float rectified_##name(const float* const* vectors, std::size_t count, const float* weights,             \
                                    std::size_t size) {                                                               \
    return rectified_any<width>(vectors, count, weights, size);                                                       \
  }                                                                                                                   \
  attributes void add_scaled_##name(float* out, const float* values, float scale, std::size_t size) {                 \
    add_scaled_body(out, values, scale, size);                                                                        \
  }                                                                                                                   \
  attributes void adagrad_##name(float* values, float* squares, const float* gradient, std::size_t size, float scale, \
                                 float step) {                                                                        \
    adagrad_body(values, squares, gradient, size, scale, step);                                                       \
  }                                                                                                                   \
  attributes float exponentials_##name(float* values, std::size_t size, float shift) {                                \
    return exponentials_body<width>(values, size, shift);                                                             \
  }                                                                                                                   \
  constexpr Kernels k##name{panel_##name,      dot_##name,     rectified_##name,                                      \
                            add_scaled_##name, adagrad_##name, exponentials_##name};

ISOGLOSS_KERNELS(Plain, 4, 3, )
#if ISOGLOSS_WIDE_VECTORS
ISOGLOSS_KERNELS(Avx2, 8, 6, __attribute__((target("avx2,fma"))))
ISOGLOSS_KERNELS(Avx512, 16, 8, __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512"))))
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

void add_scaled(float* out, const float* values, float scale, std::size_t size) {
  kernels().add_scaled(out, values, scale, size);
}

void adagrad(float* values, float* squares, const float* gradient, std::size_t size, float scale, float step) {
  kernels().adagrad(values, squares, gradient, size, scale, step);
}

float exponentials(float* values, std::size_t size, float shift) { return kernels().exponentials(values, size, shift); }

}  // namespace isogloss::neural
