#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"
#include "testing/test.hpp"

using namespace isogloss;

TEST("hash values are part of the file formats and do not change") {
  CHECK_EQUAL(hash64(""), 0x5436ddaf99dc8296ULL);
  CHECK_EQUAL(hash64("isogloss"), 0xd7de4768c281ebcaULL);
  CHECK_EQUAL(hash64("a longer string than eight bytes"), 0xbb31814358f1922ULL);
  CHECK(combine64(1, 2) != combine64(2, 1));
}

TEST("hashing reads bytes in little-endian order at every length") {
  const std::string text = "\xff\x01 hash me, in pieces of eight \x80\x7f and a rest";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view bytes = std::string_view(text).substr(0, size);
    std::uint64_t expected = 0x2545f4914f6cdd1dULL ^ (size * 0x9e3779b97f4a7c15ULL);
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = i; k < size && k < i + 8; ++k)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[k])) << (8 * (k - i));
      expected = combine64(expected, word);
    }
    CHECK_EQUAL(hash64(bytes), mix64(expected));
  }
}

TEST("short decimals are read as exactly as the library reads them") {
  std::uint64_t state = 1;
  for (int round = 0; round < 200000; ++round) {
    state = mix64(state + 1);
    std::string text = state % 2 == 0 ? "-" : "";
    std::uint64_t digits = state >> 8;
    for (std::size_t count = 1 + (state >> 1) % 17; count > 0; --count, digits /= 10)
      text += static_cast<char>('0' + digits % 10);
    if (state % 5 != 0) text.insert(text.size() - (state >> 3) % text.size(), ".");
    double expected = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const auto value = parse_double(text);
    CHECK_EQUAL(value.has_value(), whole);
    if (whole) CHECK_EQUAL(*value, expected);
  }
  CHECK(std::signbit(*parse_double("-0")));
  CHECK_EQUAL(*parse_double("5."), 5.0);
  CHECK_EQUAL(*parse_double(".5"), 0.5);
  for (const char* text : {".", "-", "-.", "1.2.3", "1-", "--1", "1 ", " 1"}) CHECK(!parse_double(text));
}

TEST("numbers are read whole or not at all") {
  CHECK_EQUAL(*parse_double("-1.5e3"), -1500.0);
  CHECK_EQUAL(*parse_double("+2"), 2.0);
  CHECK_EQUAL(*parse_double("1e-400"), 0.0);
  CHECK(std::signbit(*parse_double("-1e-400")));
  CHECK_EQUAL(*parse_double("0." + std::string(400, '0') + "1"), 0.0);
  CHECK_EQUAL(*parse_double("0." + std::string(400, '0') + "1e5"), 0.0);
  CHECK_EQUAL(*parse_double("1e-99999999999999999999"), 0.0);
  CHECK_EQUAL(*parse_double("1" + std::string(400, '0') + "e-400"), 1.0);
  CHECK(!parse_double("1" + std::string(400, '0') + "e-5"));
  CHECK(!parse_double("0.1e999"));
  CHECK(!parse_double("1e+99999999999999999999"));
  CHECK(!parse_double("10e2147483647"));
  CHECK(std::isnan(*parse_double("nan")));
  CHECK(!parse_double(""));
  CHECK(!parse_double("1,5"));
  CHECK(!parse_double("1.5x"));
  CHECK(!parse_double("1e999"));
  CHECK(!parse_double("+-1"));
  CHECK(!parse_unsigned("-1"));
  CHECK_EQUAL(*parse_unsigned("17"), 17u);
}

TEST("printed numbers read back the same") {
  for (double value : {0.1, -1.0 / 3, 1e300, 5e-324, 123456789.0, -0.0}) {
    std::string text;
    append_number(text, value);
    CHECK_EQUAL(*parse_double(text), value);
  }
}

TEST("a buffer keeps its values while it grows and when it moves") {
  Buffer<int> numbers;
  for (int i = 0; i < 100000; ++i) numbers.push_back(i);
  Buffer<int> moved = std::move(numbers);
  CHECK_EQUAL(moved.size(), 100000u);
  CHECK_EQUAL(moved[99999], 99999);
  moved.resize(3);
  moved.resize(5, 7);
  CHECK_EQUAL(moved[2], 2);
  CHECK_EQUAL(moved[4], 7);
}

TEST("parallel_for visits every item once and passes on an exception") {
  std::vector<int> visits(1000, 0);
  parallel_for(visits.size(), 4, [&](std::size_t item, std::size_t) { ++visits[item]; });
  for (int count : visits) CHECK_EQUAL(count, 1);
  const auto failing = [](std::size_t item, std::size_t) {
    if (item == 500) throw std::runtime_error("item 500");
  };
  CHECK_THROWS(std::runtime_error, "item 500", parallel_for(1000, 4, failing));
}
