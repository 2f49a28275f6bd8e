#include "grammar/symbols.hpp"

#include <cstring>
#include <vector>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::grammar;

TEST("symbol codes read back and sort like their numbers") {
  const std::uint64_t numbers[] = {
      0,       1,       0xbf,       0xc0,       0x30bf,     0x30c0,     0xf30bf,
      0xf30c0, 0xf30c1, 0x7fffffff, 0xfffffffe, 0xffffffff, 1ull << 32, (1ull << 32) + 3};
  std::uint8_t before[codes::kLongest] = {};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    std::uint8_t bytes[codes::kLongest] = {};
    const std::size_t size = codes::put(numbers[i], bytes);
    CHECK(size <= codes::kLongest);
    const std::uint8_t* in = bytes;
    CHECK_EQUAL(codes::get(in), numbers[i]);
    CHECK_EQUAL(static_cast<std::size_t>(in - bytes), size);
    if (i > 0) CHECK(std::memcmp(before, bytes, codes::kLongest) < 0);
    std::memcpy(before, bytes, codes::kLongest);
  }
}

TEST("a source side decodes to its words and gaps") {
  std::vector<std::uint8_t> bytes(32);
  std::uint8_t* out = bytes.data();
  out += codes::put(codes::kSourceWords + 70000, out);
  out += codes::put(codes::kSourceGap, out);
  out += codes::put(codes::kSourceWords, out);
  out += codes::put(codes::kSourceEnd, out);
  std::vector<WordId> symbols;
  decode_source(bytes.data(), symbols);
  CHECK_EQUAL(symbols.size(), 3u);
  CHECK_EQUAL(symbols[0], 70000u);
  CHECK_EQUAL(symbols[1], kGap);
  CHECK_EQUAL(symbols[2], 0u);
}
