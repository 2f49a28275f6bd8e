#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/scorer.hpp"
#include "grammar/table.hpp"
#include "search/constraint.hpp"
#include "search/lexical.hpp"
#include "search/options.hpp"
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

/// Finds all rules that match in a sentence and prepares them for the search. One per thread; storage is reused.
class Collector {
 public:
  /// `lm_words` gives the language model's number of each target word of the tables. `sparse` knows the sentence and
  /// learns of every option; nullptr without sparse features. With a constraint, options that it wants nowhere are left
  /// out, and if the model does not count the rest have the constraint's scores only. Without a lexicon no word is
  /// without a counterpart. All must outlive this.
  Collector(const RuleTables& tables, const lm::Model& language_model, std::span<const WordId> lm_words,
            const RuleWeights& weights, const CollectorLimits& limits, features::SparseScorer* sparse = nullptr,
            const Constraint* constraint = nullptr, const LexiconView* lexicon = nullptr);

  /// The options of one sentence; words that nothing translates alone are passed through or dropped, and fixed
  /// arcs get the translation that was given.
  void collect(const Source& source, Options& out);

 private:
  struct Ranges {  // options of a source side, by the order of its gaps
    std::uint32_t in_order_begin, in_order_end, swapped_end;
  };
  struct Candidate {
    std::uint32_t rule;
    bool swapped;
    float constraint_score;  // optimistic, 0 without a constraint
    Option option;
  };

  void collect_from(const RuleTable& table);
  bool translates(const RuleTable& table, WordId word) const;
  static bool usable(std::span<const float> scores);  // a rule with a probability of 0 is as good as none
  void walk(RuleTable::Node node, Place at);
  void found(RuleTable::Node node, Place end);
  Ranges ranges_of(RuleTable::Node node);
  void rank_side(RuleTable::Node node);
  void add_words(Option& option, std::span<const WordId> words);
  /// What sparse features see of a rule; valid until the next call.
  features::RuleFacts facts_of(const RuleView& rule, unsigned gaps);
  features::RuleFacts facts_of(const SourceArc& arc);
  void list_source();
  float constraint_score(std::span<const WordId> words);
  void forget_model(Option& option, float constraint_score) const;
  void pass_through();
  void add_only_option(const SourceArc& arc, std::uint32_t rule, std::size_t words_begin, float constant);
  void add_match(Ranges ranges, bool swapped, Place end);
  void sort_matches();

  RuleTables tables_;
  const RuleTable* table_ = nullptr;  // the one being read
  const lm::Model& language_model_;
  std::span<const WordId> lm_words_;
  const RuleWeights& weights_;
  CollectorLimits limits_;
  features::SparseScorer* sparse_;
  const Constraint* constraint_;
  LexicalMatches lexical_;

  // The sentence being worked on, and the source side being matched.
  const Source* source_ = nullptr;
  Options* out_ = nullptr;
  Place begin_ = 0, first_ = 0, last_ = 0;
  Place furthest_ = 0;  // where a side with gaps can end; on the way there it may go farther in a lattice
  unsigned words_ = 0, gap_count_ = 0;
  std::array<Span, 2> gaps_{};
  float arc_score_ = 0;

  std::vector<Candidate> candidates_;
  std::vector<WordId> scratch_words_, constraint_words_;
  std::vector<WordId> symbols_;
  std::vector<features::TokenId> source_tokens_, target_tokens_;
  std::vector<features::Link> links_;
  std::vector<std::uint32_t> side_slots_;  // open addressing from trie node to its ranges
  std::vector<RuleTable::Node> side_nodes_;
  std::vector<Ranges> side_ranges_;
  std::vector<Match> unsorted_;
};

}  // namespace isogloss::search
