// Word alignments in the format of Pharaoh; what was read is written and read again.
#include <optional>

#include "align/links.hpp"
#include "base/buffer.hpp"
#include "base/error.hpp"
#include "fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isogloss;
  Buffer<align::Link> links, again;
  Buffer<std::int64_t> ends, ends_again;
  try {
    align::parse_pharaoh(as_text(data, size), 1, std::nullopt, links, ends);
  } catch (const LineError&) {
    return 0;
  }
  Buffer<std::int64_t> offsets;
  offsets.push_back(0);
  for (const std::int64_t end : ends) offsets.push_back(end);
  Buffer<char> text;
  align::format_pharaoh({links.data(), links.size()}, {offsets.data(), offsets.size()}, text);
  align::parse_pharaoh({text.data(), text.size()}, 1, std::nullopt, again, ends_again);
  must(links.size() == again.size() && ends.size() == ends_again.size());
  for (std::size_t i = 0; i < links.size(); ++i) must(links[i] == again[i]);
  return 0;
}
