// Makers of the templates; features/registry.cpp names them.
#pragma once

#include <memory>

#include "features/template.hpp"

namespace isogloss::features {

std::unique_ptr<Template> make_pair_template();
std::unique_ptr<Template> make_pair_bigram_template();
std::unique_ptr<Template> make_target_bigram_template();
std::unique_ptr<Template> make_insertion_template();
std::unique_ptr<Template> make_deletion_template();
std::unique_ptr<Template> make_hierarchical_template();
std::unique_ptr<Template> make_rule_template();
std::unique_ptr<Template> make_source_phrase_template();
std::unique_ptr<Template> make_target_phrase_template();
std::unique_ptr<Template> make_shape_template();
std::unique_ptr<Template> make_orientation_template();
std::unique_ptr<Template> make_distortion_template();
std::unique_ptr<Template> make_block_orientation_template();
std::unique_ptr<Template> make_source_phrase_bigram_template();
std::unique_ptr<Template> make_target_phrase_bigram_template();
std::unique_ptr<Template> make_block_pair_template();
std::unique_ptr<Template> make_target_word_template();
std::unique_ptr<Template> make_target_trigram_template();

}  // namespace isogloss::features
