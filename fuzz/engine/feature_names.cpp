// Names of sparse features, as weights files and users write them.
#include <stdexcept>

#include "features/names.hpp"
#include "fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name = as_text(data, size);
  try {
    must(isogloss::features::parse_feature(name) == isogloss::features::parse_feature(name));
  } catch (const std::invalid_argument&) {
  }
  (void)isogloss::features::is_column_name(name);
  return 0;
}
