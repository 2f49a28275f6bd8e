// What the two files that bind the language model share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/buffer.hpp"
#include "base/large_pages.hpp"
#include "bindings/arrays.hpp"
#include "lm/model.hpp"
#include "lm/table.hpp"

namespace isogloss::bindings {

/// Numbers of <s>, </s> and <unk>.
using Special = std::tuple<WordId, WordId, WordId>;

inline ArrayOut<std::uint64_t> lines_to_numpy(void* lines, std::size_t count) {
  nb::capsule owner(lines, [](void* memory) noexcept { free_large(memory); });
  return ArrayOut<std::uint64_t>(static_cast<std::uint64_t*>(lines),
                                 {count, kCacheLine / sizeof(std::uint64_t)}, owner);
}

template <class Bucket>
ArrayOut<std::uint64_t> buckets_to_numpy(lm::TableBuilder<Bucket>& table) {
  const std::size_t count = table.buckets().size();
  return lines_to_numpy(table.release().release(), count);
}

inline ArrayOut<float> weights_to_numpy(Buffer<lm::Weights>&& weights) {
  const std::size_t count = weights.size();
  nb::capsule owner(weights.data() == nullptr ? std::malloc(1) : weights.data(),
                    [](void* memory) noexcept { std::free(memory); });
  return ArrayOut<float>(reinterpret_cast<float*>(weights.release()), {count, 2}, owner);
}

inline std::string_view bytes_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

}  // namespace isogloss::bindings
