// N-best lists in the notation of Moses, Marian and others, fed in one piece and in two.
#include <optional>
#include <string>

#include "base/error.hpp"
#include "fuzzing.hpp"
#include "nbest/moses_reader.hpp"

namespace {

struct Outcome {
  std::optional<std::string> error;
  std::size_t candidates = 0, columns = 0, tokens = 0, sparse = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(std::string_view text, std::size_t cut, isogloss::nbest::MosesReader::Options options) {
  isogloss::nbest::MosesReader reader(options);
  Outcome found;
  try {
    reader.feed(text.substr(0, cut));
    reader.feed(text.substr(cut));
    const isogloss::nbest::NbestColumns list = reader.finish();
    must(list.dense.size() == list.candidates() * list.dense_columns);
    must(list.sentence_offsets.size() == list.sentence_ids.size() + 1);
    found = {std::nullopt, list.candidates(), list.dense_columns, list.tokens.values.size(), list.sparse_values.size()};
  } catch (const isogloss::LineError& error) {
    found.error = error.what();
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(data, size);
  const std::uint8_t choice = take_choice(text);
  const isogloss::nbest::MosesReader::Options options{.named_values_are_dense = (choice & 1) != 0,
                                                      .fields_before_features = (choice & 2) != 0};
  const std::size_t cut = choice % (text.size() + 1);
  must(outcome(text, text.size(), options) == outcome(text, cut, options));
  return 0;
}
