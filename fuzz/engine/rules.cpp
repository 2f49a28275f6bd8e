// Lines of phrase tables, reordering tables and Hiero grammars.
#include "base/error.hpp"
#include "fuzzing.hpp"
#include "grammar/rule_text.hpp"
#include "text/vocabulary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using isogloss::grammar::RuleFormat;
  std::string_view text = as_text(data, size);
  const auto format = static_cast<RuleFormat>(take_choice(text) % 3);
  isogloss::text::Vocabulary source, target;
  isogloss::grammar::ParsedRule rule;
  for (std::uint64_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    try {
      if (isogloss::grammar::parse_rule(text.substr(0, end), line, format, source, target, rule)) {
        must(rule.links.size() % 2 == 0);
        must(rule.names.empty() || rule.names.size() == rule.values.size());
      }
    } catch (const isogloss::LineError&) {
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return 0;
}
