// Language models in the ARPA format, fed in one piece and in two: both must end the same.
#include <optional>
#include <string>

#include "base/error.hpp"
#include "fuzzing.hpp"
#include "lm/arpa_reader.hpp"
#include "text/vocabulary.hpp"

namespace {

struct Outcome {
  std::optional<std::string> error;
  std::size_t words = 0, links = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(std::string_view text, std::size_t cut) {
  isogloss::text::Vocabulary words;
  isogloss::lm::ArpaReader reader(words);
  Outcome found;
  try {
    reader.feed(text.substr(0, cut));
    reader.feed(text.substr(cut));
    reader.finish();
    found.links = reader.links();
  } catch (const isogloss::LineError& error) {
    found.error = error.what();
  }
  found.words = words.size();
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  const std::size_t cut = text.empty() ? 0 : take_choice(text) % (text.size() + 1);
  must(outcome(text, text.size()) == outcome(text, cut));
  return 0;
}
