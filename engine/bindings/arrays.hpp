// How arrays cross the border: columns go out without a copy, views come in without one.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"

namespace isogloss::bindings {

namespace nb = nanobind;

template <class T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MatrixIn = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using ArrayOut = nb::ndarray<nb::numpy, T>;

template <class T>
std::span<const T> view(const ArrayIn<T>& array) {
  return {array.data(), array.size()};
}

/// Hands the buffer's storage to a NumPy array of the given shape.
template <class T>
ArrayOut<T> to_numpy(Buffer<T>&& buffer, std::initializer_list<std::size_t> shape) {
  T* data = buffer.release();
  nb::capsule owner(data == nullptr ? std::malloc(1) : data, [](void* p) noexcept { std::free(p); });
  return ArrayOut<T>(data, shape.size(), shape.begin(), owner);
}

template <class T>
ArrayOut<T> to_numpy(Buffer<T>&& buffer) {
  const std::size_t size = buffer.size();
  return to_numpy(std::move(buffer), {size});
}

}  // namespace isogloss::bindings
