#include "neural/joint_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "neural/matrix.hpp"

namespace isogloss::neural {
namespace {

/// Numbers in [0, 1) that depend on what they are asked for, not on who asks first.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }
  double next() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr std::size_t kChunk = 128;  // samples that one thread works on

}  // namespace

/// What one batch works with. Columns of noise are padded, so that all sizes are multiples of kLanes.
struct JointTrainer::Batch {
  std::size_t count = 0;
  std::vector<std::uint32_t> samples, words, targets, noise;
  std::vector<float> inputs, hidden, kept, scores, gradients, true_gradients, hidden_gradients, input_gradients;
  std::vector<float> noise_rows, noise_offsets, noise_gradients, noise_bias_gradients;
};

JointTrainer::JointTrainer(const JointShape& shape, const JointText& text, std::span<const double> noise,
                           const JointTraining& training)
    : shape_(shape), text_(text), training_(training), noise_(noise.begin(), noise.end()) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(shape.window % 2 == 1, "the window must be odd");
  require(shape.history >= 1, "the history must have a word");
  require(shape.embedding % kLanes == 0 && shape.hidden % kLanes == 0 && shape.embedding > 0 && shape.hidden > 0,
          "sizes of layers must be multiples of 16");
  require(shape.source_words >= kSpecialWords && shape.target_words >= kSpecialWords, "special words are missing");
  require(noise.size() == shape.target_words, "one noise probability for each target word is expected");
  require(training.noise > 0 && training.batch > 0, "a batch needs samples and noise");
  require(text.source_begin.size() == text.target_begin.size() && !text.source_begin.empty(),
          "both sides need the same sentences");
  require(text.samples() < 0xffffffffu, "too many words");
  require(text.position.size() == text.samples(), "one source position for each target word is expected");
  const auto rise = [&](std::span<const std::int64_t> begin, std::size_t size) {
    return begin.front() == 0 && begin.back() == static_cast<std::int64_t>(size) && std::ranges::is_sorted(begin);
  };
  require(rise(text.source_begin, text.source.size()) && rise(text.target_begin, text.target.size()),
          "the sentences do not fit the words");
  for (std::uint32_t word : text.source) require(word < shape.source_words, "a source word has no number");
  for (std::uint32_t word : text.target) require(word < shape.target_words, "a target word has no number");
  sentence_of_.reserve(text.samples());
  for (std::size_t s = 0; s < text.sentences(); ++s)
    sentence_of_.insert(sentence_of_.end(), static_cast<std::size_t>(text.target_begin[s + 1] - text.target_begin[s]) + 1,
                        static_cast<std::uint32_t>(s));
  for (std::size_t i = 0; i < sentence_of_.size(); ++i) {
    const std::uint32_t s = sentence_of_[i];
    require(text.position[i] <= text.source_begin[s + 1] - text.source_begin[s], "a source position is out of range");
  }
  double sum = 0;
  for (double probability : noise_) {
    require(probability > 0 && std::isfinite(probability), "noise probabilities must be above 0");
    cumulative_.push_back(sum += probability);
  }
  require(std::abs(sum - 1) < 1e-6, "noise probabilities must sum to 1");
  for (double probability : noise_)
    log_expected_.push_back(static_cast<float>(std::log(probability * static_cast<double>(training.noise))));

  Random random(mix64(training.seed));
  const auto fill = [&](std::vector<float>& values, std::size_t size, double range) {
    values.resize(size);
    for (float& value : values) value = static_cast<float>((2 * random.next() - 1) * range);
  };
  fill(parameters_.source_embedding, shape.source_words * shape.embedding, 0.05);
  fill(parameters_.target_embedding, shape.target_words * shape.embedding, 0.05);
  fill(parameters_.hidden, shape.inputs() * shape.hidden, std::sqrt(6.0 / static_cast<double>(shape.inputs() + shape.hidden)));
  fill(parameters_.output, shape.target_words * shape.hidden, 0.01);
  parameters_.hidden_bias.assign(shape.hidden, 0.0f);
  // Without a context, words are as probable as in the noise: nothing to normalize from the start.
  for (double probability : noise_) parameters_.output_bias.push_back(static_cast<float>(std::log(probability)));
  squares_.source_embedding.assign(parameters_.source_embedding.size(), 0.0f);
  squares_.target_embedding.assign(parameters_.target_embedding.size(), 0.0f);
  squares_.hidden.assign(parameters_.hidden.size(), 0.0f);
  squares_.hidden_bias.assign(parameters_.hidden_bias.size(), 0.0f);
  squares_.output.assign(parameters_.output.size(), 0.0f);
  squares_.output_bias.assign(parameters_.output_bias.size(), 0.0f);
}

std::uint32_t JointTrainer::target(std::uint32_t sample) const {
  const std::uint32_t sentence = sentence_of_[sample];
  // Before the words of this sentence stood the ends of all earlier ones.
  const std::int64_t word = static_cast<std::int64_t>(sample) - sentence;
  return word < text_.target_begin[sentence + 1] ? text_.target[static_cast<std::size_t>(word)] : kEnd;
}

void JointTrainer::context(std::uint32_t sample, std::span<std::uint32_t> out) const {
  const std::uint32_t sentence = sentence_of_[sample];
  const std::int64_t begin = text_.source_begin[sentence], end = text_.source_begin[sentence + 1];
  std::int64_t at = begin + text_.position[sample] - static_cast<std::int64_t>(shape_.window / 2);
  for (std::size_t i = 0; i < shape_.window; ++i, ++at)
    out[i] = at < begin ? static_cast<std::uint32_t>(kBegin)
                        : (at < end ? text_.source[static_cast<std::size_t>(at)] : static_cast<std::uint32_t>(kEnd));
  std::int64_t word = static_cast<std::int64_t>(sample) - sentence;
  for (std::size_t i = 0; i < shape_.history; ++i)
    out[shape_.window + i] = --word >= text_.target_begin[sentence] ? text_.target[static_cast<std::size_t>(word)]
                                                                    : static_cast<std::uint32_t>(kBegin);
}

const float* JointTrainer::embedding(std::size_t place, std::uint32_t word) const {
  const std::vector<float>& table =
      place < shape_.window ? parameters_.source_embedding : parameters_.target_embedding;
  return table.data() + word * shape_.embedding;
}

void JointTrainer::forward(const std::uint32_t* words, std::size_t count, float* inputs, float* hidden) const {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t place = 0; place < shape_.context(); ++place)
      std::copy_n(embedding(place, words[i * shape_.context() + place]), shape_.embedding,
                  inputs + i * shape_.inputs() + place * shape_.embedding);
  for (std::size_t i = 0; i < count; ++i)
    std::copy(parameters_.hidden_bias.begin(), parameters_.hidden_bias.end(), hidden + i * shape_.hidden);
  multiply(count, shape_.hidden, shape_.inputs(), {inputs, shape_.inputs(), 1},
           {parameters_.hidden.data(), shape_.hidden, 1}, hidden, shape_.hidden, true);
  for (std::size_t i = 0; i < count * shape_.hidden; ++i) hidden[i] = std::max(hidden[i], 0.0f);
}

void JointTrainer::train(std::span<const std::uint32_t> samples, float step, float last_step, std::size_t threads) {
  for (std::uint32_t sample : samples)
    if (sample >= sentence_of_.size()) throw std::invalid_argument("there is no such sample");
  Batch batch;
  for (std::size_t first = 0; first < samples.size(); first += training_.batch) {
    const std::size_t last = std::min(first + training_.batch, samples.size());
    batch.samples.assign(samples.begin() + static_cast<std::ptrdiff_t>(first),
                         samples.begin() + static_cast<std::ptrdiff_t>(last));
    const float passed = static_cast<float>(first) / static_cast<float>(samples.size());
    learn(batch, step + (last_step - step) * passed, threads);
  }
}

/// Words that the true ones are told from, and what belongs to them.
void JointTrainer::choose_noise(Batch& batch) const {
  Random random(mix64(training_.seed + steps_ * 0x2545f4914f6cdd1dULL));
  batch.noise.clear();
  for (std::size_t i = 0; i < training_.noise; ++i) {
    const auto found = std::ranges::upper_bound(cumulative_, random.next() * cumulative_.back()) - cumulative_.begin();
    batch.noise.push_back(static_cast<std::uint32_t>(
        std::min<std::ptrdiff_t>(found, static_cast<std::ptrdiff_t>(noise_.size()) - 1)));
  }
  batch.noise_offsets.clear();
  for (std::uint32_t word : batch.noise) batch.noise_offsets.push_back(parameters_.output_bias[word] - log_expected_[word]);
  batch.noise_rows.assign((batch.noise.size() + kLanes - 1) / kLanes * kLanes * shape_.hidden, 0.0f);
  for (std::size_t i = 0; i < batch.noise.size(); ++i)
    std::copy_n(parameters_.output.data() + batch.noise[i] * shape_.hidden, shape_.hidden,
                batch.noise_rows.data() + i * shape_.hidden);
}

void JointTrainer::learn(Batch& batch, float step, std::size_t threads) {
  ++steps_;
  batch.count = batch.samples.size();
  choose_noise(batch);
  const std::size_t columns = batch.noise_rows.size() / shape_.hidden;
  batch.words.resize(batch.count * shape_.context());
  batch.targets.resize(batch.count);
  batch.inputs.resize(batch.count * shape_.inputs());
  batch.input_gradients.resize(batch.count * shape_.inputs());
  batch.hidden.resize(batch.count * shape_.hidden);
  batch.kept.resize(batch.count * shape_.hidden);
  batch.hidden_gradients.resize(batch.count * shape_.hidden);
  batch.scores.resize(batch.count * columns);
  batch.gradients.resize(batch.count * columns);
  batch.true_gradients.resize(batch.count);
  parallel_for((batch.count + kChunk - 1) / kChunk, threads, [&](std::size_t chunk, std::size_t) {
    propagate(batch, chunk * kChunk, std::min((chunk + 1) * kChunk, batch.count));
  });
  batch.noise_gradients.resize(columns * shape_.hidden);
  multiply(columns, shape_.hidden, batch.count, {batch.gradients.data(), 1, columns},
           {batch.hidden.data(), shape_.hidden, 1}, batch.noise_gradients.data(), shape_.hidden, false);
  batch.noise_bias_gradients.assign(columns, 0.0f);
  for (std::size_t i = 0; i < batch.count; ++i)
    add_scaled(batch.noise_bias_gradients.data(), batch.gradients.data() + i * columns, 1.0f, columns);
  // Every part of the parameters is one thread's.
  const std::size_t blocks = shape_.context();
  parallel_for(blocks + 3, threads, [&](std::size_t part, std::size_t) {
    if (part == 0) {
      update_output(batch, step);
    } else if (part <= 2) {
      update_embeddings(batch, part == 1, step);
    } else {
      update_hidden(batch, (part - 3) * shape_.embedding, (part - 2) * shape_.embedding, step);
    }
  });
}

void JointTrainer::propagate(Batch& batch, std::size_t first, std::size_t last) const {
  const std::size_t count = last - first, columns = batch.noise_rows.size() / shape_.hidden;
  const std::size_t context_size = shape_.context();
  for (std::size_t i = first; i < last; ++i) {
    const std::span<std::uint32_t> words{batch.words.data() + i * context_size, context_size};
    context(batch.samples[i], words);
    batch.targets[i] = target(batch.samples[i]);
    Random random(mix64(training_.seed ^ mix64(steps_ << 20 | i)));
    if (random.next() < static_cast<double>(training_.history_dropout)) {
      // As the search asks when it does not know yet what will stand before.
      const auto known = static_cast<std::size_t>(random.next() * static_cast<double>(shape_.history));
      for (std::size_t j = known; j < shape_.history; ++j) words[shape_.window + j] = kNothing;
    }
    const float keep = 1 / (1 - training_.hidden_dropout);
    const auto left_out = static_cast<std::uint64_t>(training_.hidden_dropout * 0x10000);
    for (std::size_t j = 0; j < shape_.hidden;)  // 16 bits for each
      for (std::uint64_t bits = random.bits(), end = j + 4; j < end; ++j, bits >>= 16)
        batch.kept[i * shape_.hidden + j] = (bits & 0xffff) < left_out ? 0.0f : keep;
  }
  float* hidden = batch.hidden.data() + first * shape_.hidden;
  float* inputs = batch.inputs.data() + first * shape_.inputs();
  forward(batch.words.data() + first * context_size, count, inputs, hidden);
  const float* kept = batch.kept.data() + first * shape_.hidden;
  for (std::size_t i = 0; i < count * shape_.hidden; ++i) hidden[i] *= kept[i];

  float* scores = batch.scores.data() + first * columns;
  multiply(count, columns, shape_.hidden, {hidden, shape_.hidden, 1}, {batch.noise_rows.data(), 1, shape_.hidden},
           scores, columns, false);
  tell_from_noise(batch, first, last);
  const float* gradients = batch.gradients.data() + first * columns;
  float* hidden_gradients = batch.hidden_gradients.data() + first * shape_.hidden;
  std::fill_n(hidden_gradients, count * shape_.hidden, 0.0f);
  for (std::size_t i = 0; i < count; ++i)
    add_scaled(hidden_gradients + i * shape_.hidden,
               parameters_.output.data() + batch.targets[first + i] * shape_.hidden, batch.true_gradients[first + i],
               shape_.hidden);
  multiply(count, shape_.hidden, columns, {gradients, columns, 1}, {batch.noise_rows.data(), shape_.hidden, 1},
           hidden_gradients, shape_.hidden, true);
  // Through the dropout and the rectifier: what was cut off learns nothing.
  for (std::size_t i = 0; i < count * shape_.hidden; ++i)
    hidden_gradients[i] = hidden[i] > 0 ? hidden_gradients[i] * kept[i] : 0.0f;
  multiply(count, shape_.inputs(), shape_.hidden, {hidden_gradients, shape_.hidden, 1},
           {parameters_.hidden.data(), 1, shape_.hidden}, batch.input_gradients.data() + first * shape_.inputs(),
           shape_.inputs(), false);
}

/// Gradients of the scores. The sum of all probabilities is estimated from the true word and the noise, every word of
/// which stands for as many as it is improbable.
void JointTrainer::tell_from_noise(Batch& batch, std::size_t first, std::size_t last) const {
  const std::size_t columns = batch.noise_rows.size() / shape_.hidden;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t word = batch.targets[i];
    const float* scores = batch.scores.data() + i * columns;
    float* gradients = batch.gradients.data() + i * columns;
    const float own = parameters_.output_bias[word] + dot(batch.hidden.data() + i * shape_.hidden,
                                                          parameters_.output.data() + word * shape_.hidden,
                                                          shape_.hidden);
    float highest = own;
    for (std::size_t j = 0; j < batch.noise.size(); ++j) {
      gradients[j] = batch.noise[j] == word ? kNever : scores[j] + batch.noise_offsets[j];
      highest = std::max(highest, gradients[j]);
    }
    std::fill(gradients + batch.noise.size(), gradients + columns, kNever);
    const float own_part = std::exp(own - highest);
    const float sum = own_part + exponentials(gradients, columns, highest);
    const float scale = (1 + 2 * training_.penalty * (std::log(sum) + highest)) / sum;
    for (std::size_t j = 0; j < columns; ++j) gradients[j] *= scale;
    batch.true_gradients[i] = own_part * scale - 1;
  }
}

void JointTrainer::update_hidden(const Batch& batch, std::size_t first, std::size_t last, float step) {
  std::vector<float> gradient((last - first) * shape_.hidden);
  const float scale = 1.0f / static_cast<float>(batch.count);
  multiply(last - first, shape_.hidden, batch.count, {batch.inputs.data() + first, 1, shape_.inputs()},
           {batch.hidden_gradients.data(), shape_.hidden, 1}, gradient.data(), shape_.hidden, false);
  adagrad(parameters_.hidden.data() + first * shape_.hidden, squares_.hidden.data() + first * shape_.hidden,
          gradient.data(), gradient.size(), scale, step);
  if (first > 0) return;
  std::vector<float> bias(shape_.hidden, 0.0f);
  for (std::size_t i = 0; i < batch.count; ++i)
    add_scaled(bias.data(), batch.hidden_gradients.data() + i * shape_.hidden, 1.0f, shape_.hidden);
  adagrad(parameters_.hidden_bias.data(), squares_.hidden_bias.data(), bias.data(), bias.size(), scale, step);
}

void JointTrainer::update_embeddings(const Batch& batch, bool of_source, float step) {
  std::vector<float>& values = of_source ? parameters_.source_embedding : parameters_.target_embedding;
  std::vector<float>& squares = of_source ? squares_.source_embedding : squares_.target_embedding;
  const std::size_t first = of_source ? 0 : shape_.window, last = of_source ? shape_.window : shape_.context();
  // All gradients of one word together, in the order of the samples.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::size_t i = 0; i < batch.count; ++i)
    for (std::size_t place = first; place < last; ++place)
      places.emplace_back(batch.words[i * shape_.context() + place],
                          static_cast<std::uint32_t>(i * shape_.context() + place));
  std::ranges::sort(places);
  const float scale = 1.0f / static_cast<float>(batch.count);
  std::vector<float> gradient(shape_.embedding);
  for (std::size_t i = 0; i < places.size();) {
    std::ranges::fill(gradient, 0.0f);
    const std::uint32_t word = places[i].first;
    for (; i < places.size() && places[i].first == word; ++i)
      add_scaled(gradient.data(), batch.input_gradients.data() + places[i].second * shape_.embedding, 1.0f,
                 shape_.embedding);
    adagrad(values.data() + word * shape_.embedding, squares.data() + word * shape_.embedding, gradient.data(),
            shape_.embedding, scale, step);
  }
}

void JointTrainer::update_output(const Batch& batch, float step) {
  // True words first, then noise: kNoise marks which gradient a row has.
  constexpr std::uint32_t kNoise = 0x80000000u;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::size_t i = 0; i < batch.count; ++i) places.emplace_back(batch.targets[i], static_cast<std::uint32_t>(i));
  for (std::size_t j = 0; j < batch.noise.size(); ++j)
    places.emplace_back(batch.noise[j], kNoise | static_cast<std::uint32_t>(j));
  std::ranges::sort(places);
  const float scale = 1.0f / static_cast<float>(batch.count);
  std::vector<float> gradient(shape_.hidden);
  for (std::size_t i = 0; i < places.size();) {
    std::ranges::fill(gradient, 0.0f);
    float bias = 0;
    const std::uint32_t word = places[i].first;
    for (; i < places.size() && places[i].first == word; ++i) {
      const std::uint32_t number = places[i].second & ~kNoise;
      const bool is_noise = (places[i].second & kNoise) != 0;
      const float weight = is_noise ? 1.0f : batch.true_gradients[number];
      add_scaled(gradient.data(), (is_noise ? batch.noise_gradients : batch.hidden).data() + number * shape_.hidden,
                 weight, shape_.hidden);
      bias += is_noise ? batch.noise_bias_gradients[number] : weight;
    }
    adagrad(parameters_.output.data() + word * shape_.hidden, squares_.output.data() + word * shape_.hidden,
            gradient.data(), shape_.hidden, scale, step);
    adagrad(&parameters_.output_bias[word], &squares_.output_bias[word], &bias, 1, scale, step);
  }
}

void JointTrainer::predict(std::span<const std::uint32_t> samples, std::size_t threads, std::span<float> hidden,
                           std::span<double> scores, std::span<double> log_sums) const {
  for (std::uint32_t sample : samples)
    if (sample >= sentence_of_.size()) throw std::invalid_argument("there is no such sample");
  const std::size_t columns = (shape_.target_words + kLanes - 1) / kLanes * kLanes;
  std::vector<float> rows(parameters_.output);
  rows.resize(columns * shape_.hidden, 0.0f);
  parallel_for((samples.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk, std::size_t) {
    const std::size_t first = chunk * kChunk, count = std::min(kChunk, samples.size() - first);
    std::vector<std::uint32_t> words(count * shape_.context());
    std::vector<float> inputs(count * shape_.inputs()), all(count * columns);
    for (std::size_t i = 0; i < count; ++i)
      context(samples[first + i], {words.data() + i * shape_.context(), shape_.context()});
    float* own = hidden.data() + first * shape_.hidden;
    forward(words.data(), count, inputs.data(), own);
    multiply(count, columns, shape_.hidden, {own, shape_.hidden, 1}, {rows.data(), 1, shape_.hidden}, all.data(),
             columns, false);
    for (std::size_t i = 0; i < count; ++i) {
      const auto score = [&](std::size_t word) {
        return static_cast<double>(all[i * columns + word]) + static_cast<double>(parameters_.output_bias[word]);
      };
      double sum = 0;
      for (std::size_t word = 0; word < shape_.target_words; ++word) sum += std::exp(score(word));
      scores[first + i] = score(target(samples[first + i]));
      log_sums[first + i] = std::log(sum);
    }
  });
}

}  // namespace isogloss::neural
