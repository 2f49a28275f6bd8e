#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/scorer.hpp"
#include "grammar/table.hpp"
#include "search/constraint.hpp"
#include "search/deadline.hpp"
#include "search/joint_scores.hpp"
#include "search/lexical.hpp"
#include "search/options.hpp"
#include "search/ranked_sides.hpp"
#include "search/rule_facts.hpp"
#include "search/tables.hpp"

namespace isogloss::search {

/// Weights of the features that a rule has wherever it is used.
struct RuleWeights {
  std::vector<float> table;    ///< one per column of the rule table
  float word_count = 0;
  float rule_count = 0;
  float unknown = 0;           ///< of a source word that no rule translates
  float insertion = 0, deletion = 0;  ///< of words without a counterpart
  std::array<float, 3> previous{}, next{};  ///< toward the neighbors, by Orientation
  float language_model = 0;    ///< of log10 probabilities; only puts options in order here
  float joint = 0;             ///< of the joint model's log probabilities
};

struct CollectorLimits {
  unsigned max_span = 15;      ///< widest span of a rule with gaps, in words
  unsigned max_options = 20;   ///< target sides kept per source side; 0 keeps all
  unsigned max_scanned = 200;  ///< target sides looked at per source side, most probable first; 0 looks at all
  float lexical_threshold = 0.05f;  ///< probability from which two words count as translations of each other
  bool drop_unknown = false;   ///< translate words that nothing translates by nothing, rather than by themselves
};

/// A word that is not in the rule table's target vocabulary but stands in the source: `kSourceWord + token`.
inline constexpr WordId kSourceWord = 0x80000000u;
/// One that stands in a given translation: `kFixedWord` + its position in the source's fixed words.
inline constexpr WordId kFixedWord = 0xc0000000u;

/// What a thread remembers of the rules between sentences.
struct CollectorMemory {
  CollectorMemory(const LexiconView* lexicon, float lexical_threshold) : translations(lexicon, lexical_threshold) {}

  LikelyTranslations translations;
  RankedSides sides;
};

/// Finds all rules that match in a sentence and prepares them for the search.
class Collector {
 public:
  /// `lm_words` gives the language model's number of each target word of the tables. `memory` has ranked sides of these
  /// tables, weights and limits only. `sparse` knows the sentence and learns of every option, `facts` tells it later
  /// about those of the tables; nullptr without sparse features. With a constraint, options that it wants nowhere are
  /// left out, and if the model does not count the rest have the constraint's scores only. `joint_source` is the
  /// sentence as a joint model sees it, `joint` scores it; nullptr without one, or if it weighs nothing. All must
  /// outlive this.
  Collector(const RuleTables& tables, const lm::Model& language_model, std::span<const WordId> lm_words,
            const RuleWeights& weights, const CollectorLimits& limits, CollectorMemory& memory,
            features::SparseScorer* sparse = nullptr, features::OptionFacts* facts = nullptr,
            const Constraint* constraint = nullptr, const JointSource* joint_source = nullptr,
            JointScores* joint = nullptr);

  /// The options of one sentence; words that nothing translates alone are passed through or dropped, and fixed
  /// arcs get the translation that was given.
  /// After the deadline, or if there are too many matches, only single words are looked up.
  void collect(const Source& source, Options& out, Deadline deadline = {});

 private:
  struct Candidate {  // an option of a ranked side in this sentence
    float constraint_score;  // optimistic, 0 without a constraint
    float added;             // what the sentence adds to its score
    float score;             // optimistic
    std::uint32_t number;    // in the memory
    std::uint8_t insertions;
  };

  struct JointJudgement {  // weighted
    float inner;  // of words whose history lies inside the option
    float open;   // of those before them, estimated
  };

  void collect_from(const RuleTable& table);
  bool translates(const RuleTable& table, WordId word) const;
  static bool usable(std::span<const float> scores);  // a rule with a probability of 0 is as good as none
  void walk(RuleTable::Node node, Place at);
  bool hurries();  // whether there is no time or room for more than single words
  void found(RuleTable::Node node, Place end);
  OptionRanges ranges_of(RuleTable::Node node);
  RankedSide rank(std::uint64_t key, RuleTable::Node node);
  void rank_option(std::uint32_t number, const SideView& side);
  void drop_hopeless(RankedSide& side);
  /// Adds the options of a side to those of the sentence.
  OptionRanges place(const RankedSide& side);
  void place_in_order(const RankedSide& side, OptionRanges& ranges);
  void place_reordered(const RankedSide& side, OptionRanges& ranges);
  Candidate judge(const RankedSide& side, std::uint32_t number);
  std::uint8_t insertions(const RankedExtra& extra) const;
  void read_joint_words(std::uint32_t begin, std::uint32_t end);
  void place_joint_words();
  JointJudgement judge_joint();
  /// What sparse features see of a word that passes through or is fixed; valid until the next call.
  features::RuleFacts facts_of(const SourceArc& arc);
  float constraint_score(std::span<const WordId> words);
  void forget_model(Option& option, float constraint_score) const;
  void pass_through();
  void add_only_option(const SourceArc& arc, std::uint32_t rule, std::size_t words_begin, float constant);
  void add_match(OptionRanges ranges, bool swapped, Place end);
  void sort_matches();

  RuleTables tables_;
  const RuleTable* table_ = nullptr;  // the one being read
  const lm::Model& language_model_;
  std::span<const WordId> lm_words_;
  const RuleWeights& weights_;
  CollectorLimits limits_;
  features::SparseScorer* sparse_;
  features::OptionFacts* facts_;
  const Constraint* constraint_;
  RankedSides& sides_;
  LexicalMatches lexical_;
  const JointSource* joint_source_;
  JointScores* joint_;
  bool with_insertions_, with_unaligned_, reorders_;  // what of a ranked side depends on the sentence

  // The sentence being worked on, and the source side being matched.
  const Source* source_ = nullptr;
  Options* out_ = nullptr;
  Place begin_ = 0, first_ = 0, last_ = 0;
  Place furthest_ = 0;  // where a side with gaps can end; on the way there it may go farther in a lattice
  unsigned words_ = 0, gap_count_ = 0;
  std::array<Span, 2> gaps_{};
  ArcScores arc_scores_{};
  std::vector<Place> symbol_places_;  // where the symbols of the source side begin; only a joint model asks
  Deadline deadline_;
  std::uint32_t steps_ = 0;
  bool hurried_ = false;

  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_;
  std::vector<Option> ranked_options_;
  std::vector<lm::ScoredPhrase> ranked_phrases_;
  std::vector<RankedExtra> ranked_extras_;
  std::vector<float> lowest_;
  std::vector<WordId> constraint_words_;
  std::vector<WordId> symbols_;
  std::vector<std::uint32_t> joint_words_;
  std::vector<Place> joint_positions_;
  RuleFactsReader reader_;
  std::vector<features::TokenId> source_tokens_, target_tokens_;
  std::vector<features::Link> links_;
  std::vector<Match> unsorted_;
};

}  // namespace isogloss::search
