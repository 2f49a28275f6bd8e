// The engine's test harness: TEST("what it shows") { CHECK(...); }
#pragma once

#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace isogloss::testing {

struct Case {
  std::string name;
  void (*run)();
};

std::vector<Case>& cases();

/// Records a failed check of the running case; the case goes on.
void fail(const char* file, int line, const std::string& message);

struct Registration {
  Registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

template <class A, class B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream message;
  message << text << ": " << a << " != " << b;
  fail(file, line, message.str());
}

inline void check_near(double a, double b, double tolerance, const char* text, const char* file, int line) {
  if (std::abs(a - b) <= tolerance) return;
  std::ostringstream message;
  message.precision(17);
  message << text << ": " << a << " is not within " << tolerance << " of " << b;
  fail(file, line, message.str());
}

template <class Exception>
void check_throws(const std::function<void()>& action, const std::string& fragment, const char* text,
                  const char* file, int line) {
  try {
    action();
  } catch (const Exception& error) {
    if (std::string(error.what()).find(fragment) == std::string::npos)
      fail(file, line, std::string(text) + " said: " + error.what() + " (wanted: " + fragment + ")");
    return;
  }
  fail(file, line, std::string(text) + " did not throw");
}

}  // namespace isogloss::testing

#define ISOGLOSS_JOIN2(a, b) a##b
#define ISOGLOSS_JOIN(a, b) ISOGLOSS_JOIN2(a, b)
// Numbered by a counter, not by lines: several files may be compiled as one.
#define TEST(name) ISOGLOSS_TEST(name, __COUNTER__)
#define ISOGLOSS_TEST(name, number)                                                          \
  static void ISOGLOSS_JOIN(test_case_, number)();                                           \
  static const ::isogloss::testing::Registration ISOGLOSS_JOIN(registration_, number)(       \
      name, &ISOGLOSS_JOIN(test_case_, number));                                             \
  static void ISOGLOSS_JOIN(test_case_, number)()
#define CHECK(condition) \
  do { if (!(condition)) ::isogloss::testing::fail(__FILE__, __LINE__, #condition); } while (false)
#define CHECK_EQUAL(a, b) ::isogloss::testing::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) \
  ::isogloss::testing::check_near((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define CHECK_THROWS(exception, fragment, statement) \
  ::isogloss::testing::check_throws<exception>([&] { statement; }, fragment, #statement, __FILE__, __LINE__)
