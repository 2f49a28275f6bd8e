#include <exception>
#include <iostream>

#include "testing/test.hpp"

namespace isogloss::testing {
namespace {
int failures_of_case = 0;
}

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

void fail(const char* file, int line, const std::string& message) {
  ++failures_of_case;
  std::cerr << file << ':' << line << ": " << message << '\n';
}

}  // namespace isogloss::testing

// An argument keeps only the cases whose name contains it.
int main(int argc, char** argv) {
  using namespace isogloss::testing;
  int passed = 0, failed = 0;
  for (const Case& test : cases()) {
    if (argc > 1 && test.name.find(argv[1]) == std::string::npos) continue;
    failures_of_case = 0;
    try {
      test.run();
    } catch (const std::exception& error) {
      fail(test.name.c_str(), 0, std::string("threw ") + error.what());
    }
    if (failures_of_case > 0) std::cerr << "FAILED " << test.name << '\n';
    ++(failures_of_case > 0 ? failed : passed);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
