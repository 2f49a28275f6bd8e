#pragma once

#include "bindings/arrays.hpp"
#include "neural/joint_model.hpp"
#include "text/vocabulary.hpp"

namespace isogloss::bindings {

/// A joint model, its vocabularies, and the arrays that it looks into.
struct BoundJointModel {
  text::Vocabulary source_words, target_words;
  ArrayIn<float> source_embedding, source_hidden, hidden_bias, history, output, output_bias;
  neural::JointModel model;

  BoundJointModel(const neural::JointShape& shape, text::Vocabulary source, text::Vocabulary target,
                  ArrayIn<float> source_embedding_, ArrayIn<float> source_hidden_, ArrayIn<float> hidden_bias_,
                  ArrayIn<float> history_, ArrayIn<float> output_, ArrayIn<float> output_bias_)
      : source_words(std::move(source)), target_words(std::move(target)),
        source_embedding(std::move(source_embedding_)), source_hidden(std::move(source_hidden_)),
        hidden_bias(std::move(hidden_bias_)), history(std::move(history_)), output(std::move(output_)),
        output_bias(std::move(output_bias_)),
        model(shape,
              {view(source_embedding), view(source_hidden), view(hidden_bias), view(history), view(output),
               view(output_bias)},
              source_words, target_words) {}
  BoundJointModel(const BoundJointModel&) = delete;  // its parts refer to each other
  BoundJointModel& operator=(const BoundJointModel&) = delete;
};

}  // namespace isogloss::bindings
