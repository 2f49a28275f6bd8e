#include "text/quoted.hpp"

#include <string>

#include "testing/test.hpp"
#include "text/utf8.hpp"

using namespace isogloss;
using namespace isogloss::text;

TEST("quoted text is always valid UTF-8 without control characters") {
  CHECK_EQUAL(quoted(""), "''");
  CHECK_EQUAL(quoted("naïve 漢"), "'naïve 漢'");
  CHECK_EQUAL(quoted("a\x1b[31m\xff"), "'a\\x1b[31m\\xff'");
  CHECK_EQUAL(quoted("\xc2\x9b"), "'\\xc2\\x9b'");
  CHECK_EQUAL(quoted("\xc3"), "'\\xc3'");
  CHECK_EQUAL(quoted("\x80\x80\x80\x80\x80"), "'\\x80\\x80\\x80\\x80\\x80'");
  CHECK_EQUAL(quoted(std::string_view("a\0b", 3)), "'a\\x00b'");
}

TEST("long quotations are cut between characters") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "é";
  CHECK(is_utf8(quoted(text)));
  CHECK(quoted(text).size() < 70);
  CHECK(quoted(text).ends_with("é…'"));
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second), 'x'};
      CHECK(is_utf8(quoted(std::string_view(bytes, 3))));
    }
  }
}
