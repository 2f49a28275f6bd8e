#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "search/batch.hpp"
#include "search/weights.hpp"

namespace isogloss::search {

/// The models of a decoder. Everything behind the references must outlive it and what it translated.
struct DecoderModels {
  const RuleTable& table;
  std::vector<std::string> column_names;  ///< of the table's scores
  const Vocabulary& source_words;         ///< of the table, or of its overlay if there is one
  const Vocabulary& target_words;
  const lm::Model& language_model;
  const RuleTable* overlay = nullptr;     ///< see RuleTables
  const LexiconView* lexicon = nullptr;   ///< of the table; without one no word is unmatched
  const features::SparseModel* sparse = nullptr;  ///< nullptr without sparse features
  const neural::JointModel* joint = nullptr;      ///< nullptr without one
};

struct DecoderOptions {
  SearchOptions search;
  std::string unknown_mark;  ///< see Wording
  bool with_offers = false;  ///< inputs may have words of other kinds than the given; see ArcKind
};

/// Models, limits and weights: sentences go in, their best translations come out. Any number of threads may use one,
/// also while another sets its weights: a call keeps the weights that it began with.
class Decoder {
 public:
  /// Throws std::invalid_argument if the models do not fit one another. All weights are 0.
  Decoder(const DecoderModels& models, const DecoderOptions& options);

  /// Names of the dense features, in order.
  const std::vector<std::string>& feature_names() const { return names_; }
  const Wording& wording() const { return wording_; }
  const InputMaker& input_maker() const { return input_maker_; }

  /// One weight per dense feature, and the weights of sparse features or nullptr. Throws std::invalid_argument if they
  /// do not fit.
  void set_weights(std::span<const double> dense, std::shared_ptr<const features::WeightSource> sparse = nullptr);
  /// Forgets what is remembered of rules between calls. For whoever changes the scores of the table in place.
  void forget() { weights_.renew(); }

  /// The result does not depend on the number of threads. A time limit begins with its sentence; after it the sentence
  /// is finished as quickly as possible. Throws ScoreError, TableError if the table is damaged, and
  /// std::invalid_argument for a request that does not fit the inputs.
  std::vector<TranslatedSentence> translate(std::vector<Input> inputs, const BatchRequest& request) const;

 private:
  struct Call;  // what all sentences of a call share

  TranslatedSentence translate(Input input, std::size_t number, const Call& call) const;
  std::unique_ptr<SentenceSearch> search(const Input& input, const SearchOptions& options,
                                         const Call& call, Constraint* constraint) const;
  std::vector<Path> best_paths(const SentenceSearch& search, const Input& input, const BatchRequest& request,
                               Deadline deadline) const;
  void describe(const BatchRequest& request, const Constraint* constraint, TranslatedSentence& out) const;

  /// What a thread remembers between sentences: rules ranked with one version of the weights, sums of events.
  struct ThreadMemory {
    std::uint32_t version;  // 0: nothing is kept
    SearchMemory search;
    std::unique_ptr<features::ThreadScores> sparse;
  };
  std::unique_ptr<ThreadMemory> borrow_memory(std::uint32_t version) const;
  void give_back(std::unique_ptr<ThreadMemory> memory) const;

  Wording wording_;
  InputMaker input_maker_;
  FeatureLayout layout_;
  std::vector<std::string> names_;
  std::vector<WordId> lm_words_;
  std::vector<std::uint32_t> joint_words_;
  SearchModel model_;
  SearchOptions options_;
  mutable CurrentWeights weights_;
  // What is remembered between sentences; whoever translates has a memory for himself.
  std::unique_ptr<features::RuleMemory> rule_memory_;
  mutable std::mutex memories_lock_;
  mutable std::vector<std::unique_ptr<ThreadMemory>> memories_;
};

}  // namespace isogloss::search
