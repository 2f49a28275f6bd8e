// White space between tokens, chosen by a linear model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"

namespace isogloss::text {

/// Lines of tokens. A token is the number of its type; what the model sees of a type is a row of properties, which are
/// hashes. Type 0 stands for the tokens beyond both ends of a line.
struct SpacedLines {
  std::span<const std::uint32_t> tokens;      ///< of all lines, one after another
  std::span<const std::int64_t> offsets;      ///< of each line in `tokens`; one more than lines
  std::span<const std::uint64_t> properties;  ///< a row for each type
  std::span<const std::uint8_t> flags;        ///< of each type: SpacingFlags
  std::span<const std::uint64_t> styles;      ///< one value for each line
  std::span<const std::uint64_t> touches;     ///< a value for the gap after each token, 0 for none; may be empty

  std::size_t lines() const { return offsets.size() - 1; }
};

/// Whether a type begins or ends like a word, and whether that end belongs to a script without spaces.
enum SpacingFlags : std::uint8_t { kWordEnd = 1, kWordBegin = 2, kUnspacedEnd = 4, kUnspacedBegin = 8 };

/// What the features of a gap are made of. A feature combines the values of a few fields. Fields are numbered: first
/// the properties of the kWindow tokens around the gap, from left to right; then the style of the line, the touch of
/// the gap, and what was decided before in the line: last, after the same token, before the same token, and between
/// tokens with the same `history` property. A feature with a field whose value is 0 is left out.
struct SpacingTemplates {
  static constexpr std::size_t kWindow = 6;   ///< three tokens on each side
  static constexpr std::size_t kFirst = 2;    ///< place in it of the token before the gap
  static constexpr std::size_t kExtra = 6;    ///< fields that are not properties of tokens
  static constexpr std::size_t kMostFields = 8;

  struct Template {
    std::uint64_t name = 0;             ///< a hash that tells templates apart
    std::vector<std::uint16_t> fields;  ///< at most kMostFields
    bool between_words = false;         ///< used between two words too, where the others are not
  };

  std::size_t properties = 0;  ///< of a type
  /// The properties of the tokens before and after a gap that must be the same for the last field.
  std::array<std::size_t, 2> history{};
  std::vector<Template> all;
  std::vector<std::uint64_t> kinds;  ///< the value that stands for each kind of white space in fields of decisions
  std::uint64_t no_decision = 0;     ///< the value of a field of decisions before the first one
  bool words_apart = false;          ///< words of scripts with spaces are always separated by the first kind

  std::size_t field_count() const { return kWindow * properties + kExtra; }
  /// Throws std::invalid_argument if a field or a property does not exist.
  void check() const;
};

/// The features of the gaps that a model decides on, in order.
struct GapFeatures {
  Buffer<std::uint64_t> features;
  Buffer<std::int64_t> starts;  ///< where the features of each gap begin; one more than gaps
  Buffer<std::int64_t> gaps;    ///< the number of the token before each gap
};

/// `decisions` has the kind for the gap after each token. Throws std::invalid_argument if the arrays do not fit together.
void spacing_features(const SpacedLines& lines, const SpacingTemplates& templates, std::span<const std::uint8_t> decisions,
                      GapFeatures& found);

/// Weights of features for each kind of white space. The arrays belong to the caller and must outlive the model.
class SpacingModel {
 public:
  static constexpr std::size_t kMostKinds = 8;

  /// `keys` ascend; `weights` has a row for each key and a column for each kind. Throws std::invalid_argument.
  SpacingModel(SpacingTemplates templates, std::span<const std::uint64_t> keys, std::span<const float> weights);

  /// Decides from left to right; `decisions` gets the kind for the gap after each token, 0 after the last of a line.
  /// Where no feature has a weight, and of equal sums, the first kind wins. Throws std::invalid_argument.
  void decide(const SpacedLines& lines, std::span<std::uint8_t> decisions) const;

  const SpacingTemplates& templates() const { return templates_; }

 private:
  const float* find(std::uint64_t key) const;

  SpacingTemplates templates_;
  std::span<const std::uint64_t> keys_;
  std::span<const float> weights_;
  std::vector<std::uint32_t> buckets_;  // where the keys with the same upper bits begin
  unsigned shift_ = 63;
};

}  // namespace isogloss::text
