#include <stdexcept>
#include <string>

#include "features/template.hpp"
#include "templates/all.hpp"

namespace isogloss::features {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Template> (*make)();
};

constexpr Entry kTemplates[] = {
    {"pair", make_pair_template},
    {"pair_bigram", make_pair_bigram_template},
    {"target_bigram", make_target_bigram_template},
    {"insertion", make_insertion_template},
    {"deletion", make_deletion_template},
    {"hierarchical", make_hierarchical_template},
    {"rule", make_rule_template},
    {"source_phrase", make_source_phrase_template},
    {"target_phrase", make_target_phrase_template},
    {"shape", make_shape_template},
    {"orientation", make_orientation_template},
    {"distortion", make_distortion_template},
    {"block_orientation", make_block_orientation_template},
    {"source_phrase_bigram", make_source_phrase_bigram_template},
    {"target_phrase_bigram", make_target_phrase_bigram_template},
    {"block_pair", make_block_pair_template},
    {"target_word", make_target_word_template},
    {"target_trigram", make_target_trigram_template},
};

}  // namespace

std::unique_ptr<Template> make_template(std::string_view name) {
  for (const Entry& entry : kTemplates)
    if (entry.name == name) return entry.make();
  throw std::invalid_argument("no feature template is called '" + std::string(name) + "'");
}

std::vector<std::string_view> template_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kTemplates) names.push_back(entry.name);
  return names;
}

}  // namespace isogloss::features
