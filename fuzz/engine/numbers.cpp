// Numbers in text: the short way must read what the C library reads.
#include <cmath>
#include <cstring>
#include <string>

#include "base/numbers.hpp"
#include "fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(as_text(data, size));
  (void)isogloss::parse_unsigned(text);
  const auto value = isogloss::parse_double(text);
  if (!value || text.find('\0') != text.npos) return 0;
  char* end = nullptr;
  const double known = std::strtod(text.c_str(), &end);
  must(end == text.c_str() + text.size());
  must(std::isnan(known) ? std::isnan(*value) : std::memcmp(&known, &*value, sizeof known) == 0);
  return 0;
}
