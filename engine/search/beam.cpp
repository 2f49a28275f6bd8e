#include "search/beam.hpp"

#include <algorithm>
#include <cmath>

namespace isogloss::search {
namespace {

/// Hypotheses of one coverage × options of one match: a grid, explored from its best corner.
struct Cube {
  std::uint32_t hypotheses_begin, hypotheses_count;  // in the group's order
  std::uint32_t coverage;
  std::uint32_t match;
  std::uint32_t after;   // coverage after it, kNone until somebody gets there
  std::uint32_t after_parent;  // what the open spans of `after` remember of the option that left them
  std::uint32_t parent;  // what the open span remembers of the rule that left it
  std::int16_t distortion;  // words skipped since the last rule, negative if backwards
  std::uint32_t group;   // where the hypotheses are
  std::uint32_t depth;   // which open span is taken
  Orientation orientation;  // how it lies to what was translated before
  Side side;             // of the last rule
  float constant;        // what the step adds whatever hypothesis and option
  float rest;            // estimate of all that is open afterwards
};

struct Item {
  float estimate;
  std::uint32_t cube;
  std::uint32_t hypothesis, option;  // positions in the cube
};

/// Higher estimates first; among equal ones a fixed order, so that results can be repeated.
bool worse(const Item& a, const Item& b) {
  if (a.estimate != b.estimate) return a.estimate < b.estimate;
  if (a.cube != b.cube) return a.cube > b.cube;
  if (a.hypothesis != b.hypothesis) return a.hypothesis > b.hypothesis;
  return a.option > b.option;
}

class Beam {
 public:
  Beam(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
       Coverages& coverages, BeamStatistics& statistics)
      : task_(task), weights_(weights), limits_(limits), matches_(matches), coverages_(coverages),
        statistics_(statistics), with_model_(task.constraint == nullptr || task.constraint->with_model()),
        groups_(task.source.places()), cubes_(task.source.places()) {}

  Graph run() {
    const Span whole = task_.source.whole();
    const std::uint32_t open_spans = whole.empty() ? 0 : coverages_.push(whole, 0);
    graph_.nodes.push_back({0.0f, coverages_.number({open_spans, 0, 0}), kNone, kNone,
                            0, 0, kNone, task_.language_model.begin_sentence()});
    groups_[0].push_back(0);
    for (std::size_t covered = 0; covered < groups_.size(); ++covered) {
      if (covered > 0) fill(covered);
      if (is_late()) limits_.beam_size = limits_.pop_limit = 1;
      prune(groups_[covered]);
      if (covered + 1 < groups_.size()) expand(covered);
    }
    finish();
    return std::move(graph_);
  }

 private:
  bool is_late() const {
    constexpr auto never = std::chrono::steady_clock::time_point::max();
    return limits_.deadline != never && std::chrono::steady_clock::now() >= limits_.deadline;
  }

  float total(std::uint32_t node) const {
    const Node& hypothesis = graph_.nodes[node];
    return hypothesis.score + coverages_.open_spans_of(hypothesis.coverage).estimate;
  }

  // Sorts by coverage, the coverage of the best hypothesis first, and within a coverage by score.
  void prune(std::vector<std::uint32_t>& group) {
    order_.clear();
    for (std::uint32_t node : group) order_.push_back({total(node), node});
    std::sort(order_.begin(), order_.end(), [](const Ranked& a, const Ranked& b) {
      return a.total != b.total ? a.total > b.total : a.node < b.node;
    });
    std::size_t kept = order_.size();
    if (limits_.beam_size > 0) kept = std::min<std::size_t>(kept, limits_.beam_size);
    if (limits_.threshold > 0)
      while (kept > 1 && order_[kept - 1].total < order_[0].total - limits_.threshold) --kept;
    statistics_.pruned += order_.size() - kept;

    coverage_rank_.resize(coverages_.size(), kNone);
    coverages_seen_.clear();
    for (std::size_t i = 0; i < kept; ++i) {
      const std::uint32_t coverage = graph_.nodes[order_[i].node].coverage;
      if (coverage_rank_[coverage] != kNone) continue;
      coverage_rank_[coverage] = static_cast<std::uint32_t>(coverages_seen_.size());
      coverages_seen_.push_back(coverage);
    }
    group.resize(kept);
    for (std::size_t i = 0; i < kept; ++i) group[i] = order_[i].node;
    std::stable_sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
      return coverage_rank_[graph_.nodes[a].coverage] < coverage_rank_[graph_.nodes[b].coverage];
    });
    for (std::uint32_t coverage : coverages_seen_) coverage_rank_[coverage] = kNone;
  }

  void expand(std::size_t covered) {
    const std::vector<std::uint32_t>& group = groups_[covered];
    for (std::size_t begin = 0; begin < group.size();) {
      const std::uint32_t coverage = graph_.nodes[group[begin]].coverage;
      std::size_t end = begin + 1;
      while (end < group.size() && graph_.nodes[group[end]].coverage == coverage) ++end;
      Cube cube{};
      cube.hypotheses_begin = static_cast<std::uint32_t>(begin);
      cube.hypotheses_count = static_cast<std::uint32_t>(end - begin);
      cube.coverage = coverage;
      cube.group = static_cast<std::uint32_t>(covered);
      cube.after = kNone;
      if (matches_.limits().hierarchical) {
        add_cubes(cube, coverages_[coverage].open_spans, 0, covered);
      } else {
        std::uint32_t spans = coverages_[coverage].open_spans;
        for (std::uint32_t depth = 0; spans != 0; spans = coverages_.open_spans(spans).rest, ++depth)
          add_cubes(cube, spans, depth, covered);
      }
      begin = end;
    }
  }

  // `spans` are those of the open spans that begin with the one to be taken, `depth` how many stand before it.
  void add_cubes(Cube cube, std::uint32_t spans, std::uint32_t depth, std::size_t covered) {
    const Coverage coverage = coverages_[cube.coverage];
    const float below = coverages_.open_spans(coverage.open_spans).estimate;
    const Span span = coverages_.open_spans(spans).first;
    const Matches::Range range = matches_.of(span);
    for (std::uint32_t number = range.begin; number < range.end; ++number) {
      const Match& match = matches_.match(number);
      if (match.options_begin == match.options_end) continue;
      if (!matches_.limits().hierarchical && !allowed(coverage, match)) continue;
      cube.match = number;
      cube.parent = coverages_.open_spans(spans).parent;
      cube.distortion = static_cast<std::int16_t>(task_.source.signed_distortion(coverage.last, match.first));
      cube.depth = depth;
      cube.orientation = limits_.with_orientation ? coverages_.orientation(coverage.blocks, match.block())
                                                  : Orientation::monotone;
      cube.side = limits_.with_sides ? coverage.side(match.first, match.last) : Side::kRight;
      cube.constant = step_score(coverage, match);
      cube.rest = below - task_.estimates.of(span);
      for (const Span& gap : match.gaps()) cube.rest += task_.estimates.of(gap);
      if (cube.rest <= Estimates::kImpossible / 2) continue;  // a gap that nothing can fill
      cubes_[covered + match.covered()].push_back(cube);
    }
  }

  float step_score(const Coverage& coverage, const Match& match) const {
    const float distortion = static_cast<float>(task_.source.distortion(coverage.last, match.first));
    float score = weights_.backtrack * distortion + weights_.arc_score * match.arc_score;
    if (match.kind == RuleKind::kRule) {
      score += weights_.distance_rule * distortion;
    } else {
      score += weights_.distance_glue * distortion + weights_.glue[static_cast<std::size_t>(match.kind) - 1];
    }
    return match.reordering ? score + weights_.reordering : score;
  }

  // Whether one phrase covers a span exactly; otherwise a hole of this width would never be closed.
  bool has_phrase(Span span) const {
    for (const Match& match : task_.options.of(span))
      if (match.gap_count == 0 && match.options_begin < match.options_end) return true;
    return false;
  }

  // Whether the phrase search may go on with this match.
  bool allowed(const Coverage& coverage, const Match& match) const {
    const Place leftmost = coverages_.open_spans(coverage.open_spans).first.begin;
    const bool leaves_hole = match.first != leftmost;
    switch (limits_.phrase_order) {
      case PhraseOrder::kMonotone:
        return !leaves_hole;
      case PhraseOrder::kSwap: {
        // A hole on the left is closed by the very next phrase.
        const bool hole = leftmost < coverage.last;
        if (hole) return !leaves_hole && match.gap_count == (match.span.end == task_.source.whole().end ? 1 : 0);
        return !leaves_hole || has_phrase({leftmost, match.first});
      }
      case PhraseOrder::kDistortion:
        break;
    }
    if (task_.source.distortion(coverage.last, match.first) > limits_.distortion_limit) return false;
    // The way back to what was left behind must not be too long either.
    return !leaves_hole || task_.source.distortion(match.last, leftmost) <= limits_.distortion_limit;
  }

  float estimate(const Cube& cube, std::uint32_t hypothesis, std::uint32_t option) const {
    const std::uint32_t node = groups_[cube.group][cube.hypotheses_begin + hypothesis];
    const Match& match = matches_.match(cube.match);
    if (!with_model_)
      return graph_.nodes[node].score + constraint_score(graph_.nodes[node], match.options_begin + option) + cube.rest;
    return graph_.nodes[node].score + task_.options.options[match.options_begin + option].optimistic_score +
           cube.constant + cube.rest + orientation_score(cube, graph_.nodes[node], match.options_begin + option) +
           sparse_step_score(cube, match.options_begin + option) +
           constraint_score(graph_.nodes[node], match.options_begin + option);
  }

  float constraint_score(const Node& from, std::uint32_t option) const {
    if (task_.constraint == nullptr) return 0.0f;
    return task_.constraint->score(from.constraint, task_.options.constraint_target(task_.options.options[option]));
  }

  float sparse_step_score(const Cube& cube, std::uint32_t option) const {
    if (task_.sparse == nullptr) return 0.0f;
    return task_.sparse->step_score(
        {option, cube.parent, cube.orientation, cube.distortion, static_cast<std::uint8_t>(cube.side)});
  }

  float orientation_score(const Cube& cube, const Node& from, std::uint32_t option) const {
    if (!limits_.with_orientation) return 0.0f;
    const auto orientation = static_cast<std::size_t>(cube.orientation);
    const float previous = task_.options.options[option].previous[orientation];
    return from.tail == kNone ? previous : previous + task_.options.options[from.tail].next[orientation];
  }

  void fill(std::size_t covered) {
    std::vector<Cube>& cubes = cubes_[covered];
    heap_.clear();
    for (std::uint32_t i = 0; i < cubes.size(); ++i) {
      // With a constraint the best option of one hypothesis says little about those of another.
      const std::uint32_t rows = task_.constraint == nullptr ? 1 : cubes[i].hypotheses_count;
      for (std::uint32_t row = 0; row < rows; ++row) push_row(cubes[i], i, row, 0);
    }
    std::make_heap(heap_.begin(), heap_.end(), worse);
    table_.assign(1024, kNone);
    table_used_ = 0;
    std::size_t pops = limits_.pop_limit > 0 ? limits_.pop_limit : static_cast<std::size_t>(-1);
    if (limits_.diversity) diversify(cubes, covered, pops);
    while (!heap_.empty() && pops > 0) {
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      const Item item = heap_.back();
      heap_.pop_back();
      take(cubes, item, covered);
      --pops;
      if (pops % 64 == 0 && is_late()) break;
    }
    std::vector<Cube>().swap(cubes);
  }

  // The best extension of every coverage comes first, as long as half of the pops last.
  void diversify(std::vector<Cube>& cubes, std::size_t covered, std::size_t& pops) {
    std::size_t budget = pops / 2;
    corners_.assign(heap_.begin(), heap_.end());
    std::sort(corners_.begin(), corners_.end(), [](const Item& a, const Item& b) { return worse(b, a); });
    best_of_coverage_.clear();
    heap_.clear();
    for (const Item& corner : corners_) {
      const Cube& cube = cubes[corner.cube];
      const std::uint64_t key = std::uint64_t{cube.group} << 32 | cube.coverage;
      bool first = budget > 0;
      if (first) {
        for (std::uint64_t seen : best_of_coverage_) first &= seen != key;
      }
      if (first) {
        best_of_coverage_.push_back(key);
        take(cubes, corner, covered);
        --budget, --pops;
      } else {
        heap_.push_back(corner);
      }
    }
    std::make_heap(heap_.begin(), heap_.end(), worse);
  }

  // Scores an item, puts it into its group, and its neighbours in the grid into the queue.
  void take(std::vector<Cube>& cubes, const Item& item, std::size_t covered) {
    Cube& cube = cubes[item.cube];
    const Match& match = matches_.match(cube.match);
    // Phrases leave words around them open, but are not the parents of what is there.
    const std::uint32_t parent = task_.sparse && matches_.limits().hierarchical && match.gap_count > 0
                                     ? task_.sparse->parent_of(match.options_begin + item.option) : 0;
    if (cube.after == kNone || cube.after_parent != parent) {
      cube.after = coverage_after(cube, parent);
      cube.after_parent = parent;
    }
    extend(cube, item, covered);
    const auto push = [&](std::uint32_t hypothesis, std::uint32_t option) {
      if (push_row(cube, item.cube, hypothesis, option))
        std::push_heap(heap_.begin(), heap_.end(), worse);
    };
    push(item.hypothesis, item.option + 1);
    // Along one edge only, so that no item is reached twice.
    if (task_.constraint == nullptr && item.option == 0 && item.hypothesis + 1 < cube.hypotheses_count)
      push(item.hypothesis + 1, 0);
  }

  // Appends to the queue what a hypothesis can be extended by, from this option on: the first that is wanted.
  bool push_row(const Cube& cube, std::uint32_t number, std::uint32_t hypothesis, std::uint32_t option) {
    const Match& match = matches_.match(cube.match);
    for (; option < match.options_end - match.options_begin; ++option) {
      const float value = estimate(cube, hypothesis, option);
      if (value == Constraint::kNever) continue;
      heap_.push_back({value, number, hypothesis, option});
      return true;
    }
    return false;
  }

  std::uint32_t coverage_after(const Cube& cube, std::uint32_t parent) {
    const Coverage before = coverages_[cube.coverage];
    const Match& match = matches_.match(cube.match);
    // The spans before the one that was taken stay in front of what it leaves.
    std::uint32_t spans = before.open_spans;
    skipped_.clear();
    for (std::uint32_t i = 0; i < cube.depth; ++i) {
      skipped_.push_back(coverages_.open_spans(spans).first);
      spans = coverages_.open_spans(spans).rest;
    }
    spans = coverages_.open_spans(spans).rest;
    for (std::size_t i = match.gap_count; i-- > 0;) spans = coverages_.push(match.gap_spans[i], spans, parent);
    for (std::size_t i = skipped_.size(); i-- > 0;) spans = coverages_.push(skipped_[i], spans);
    const Span hull{match.first, match.last};
    const std::uint32_t blocks =
        limits_.with_orientation ? coverages_.shift(before.blocks, hull, hull.width() - match.covered()) : 0;
    return coverages_.number({spans, blocks, match.last, limits_.with_sides ? match.first : Place{0}});
  }

  void extend(const Cube& cube, const Item& item, std::size_t covered) {
    const std::uint32_t from = groups_[cube.group][cube.hypotheses_begin + item.hypothesis];
    const Match& match = matches_.match(cube.match);
    const std::uint32_t number = match.options_begin + item.option;
    const Option& option = task_.options.options[number];
    Node node;
    float added = 0;
    node.sparse = node.constraint = 0;
    if (with_model_ && weights_.language_model == 0) {
      added = option.constant + cube.constant + orientation_score(cube, graph_.nodes[from], number);
      node.lm = graph_.nodes[from].lm;  // nobody asks what was said before
    } else if (with_model_) {
      const float lm = lm::join(task_.language_model, graph_.nodes[from].lm, task_.options.lm_target(option),
                                option.phrase, node.lm);
      added = option.constant + cube.constant + weights_.language_model * lm +
              orientation_score(cube, graph_.nodes[from], number);
    } else {
      node.lm = graph_.nodes[from].lm;  // the same everywhere
    }
    if (task_.constraint != nullptr) {
      added += constraint_score(graph_.nodes[from], number);
      node.constraint = task_.constraint->after(graph_.nodes[from].constraint, task_.options.constraint_target(option));
    }
    if (task_.sparse != nullptr && with_model_) {
      const std::uint32_t before = graph_.nodes[from].sparse;
      added += sparse_step_score(cube, number) + task_.sparse->border_score(before, number);
      node.sparse = task_.sparse->after(before, number);
    }
    node.score = graph_.nodes[from].score + added;
    node.coverage = cube.after;
    node.tail = limits_.with_orientation && with_model_ ? number : kNone;
    ++statistics_.hypotheses;
    insert(node, {from, cube.match, number, kNone, added}, covered);
  }

  static std::uint64_t hash(const Node& node) {
    return combine64(std::uint64_t{node.coverage} << 32 | node.tail,
                     node.lm.hash() + node.sparse + mix64(node.constraint));
  }

  void insert(Node& node, Arc arc, std::size_t covered) {
    const auto number = static_cast<std::uint32_t>(graph_.arcs.size());
    std::size_t slot = hash(node) & (table_.size() - 1);
    for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
      Node& other = graph_.nodes[table_[slot]];
      if (other.coverage != node.coverage || other.tail != node.tail || other.sparse != node.sparse ||
          other.constraint != node.constraint || !(other.lm == node.lm))
        continue;
      ++statistics_.recombined;
      arc.next = other.arcs;
      graph_.arcs.push_back(arc);
      other.arcs = number;
      if (node.score > other.score) {
        other.score = node.score;
        other.best = number;
      }
      return;
    }
    graph_.arcs.push_back(arc);
    node.arcs = node.best = number;
    table_[slot] = static_cast<std::uint32_t>(graph_.nodes.size());
    groups_[covered].push_back(table_[slot]);
    graph_.nodes.push_back(node);
    if (++table_used_ * 2 > table_.size()) grow_table(covered);
  }

  void grow_table(std::size_t covered) {
    table_.assign(table_.size() * 2, kNone);
    for (std::uint32_t number : groups_[covered]) {
      const Node& node = graph_.nodes[number];
      std::size_t slot = hash(node) & (table_.size() - 1);
      while (table_[slot] != kNone) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = number;
    }
  }

  void finish() {
    Node goal{};
    goal.score = Estimates::kImpossible;
    goal.coverage = goal.tail = goal.arcs = goal.best = kNone;
    const auto number = static_cast<std::uint32_t>(graph_.nodes.size());
    for (std::uint32_t node : groups_.back()) {
      lm::State end;
      const float lm =
          task_.language_model.score(graph_.nodes[node].lm, task_.language_model.end_of_sentence(), end).log_prob;
      float added = weights_.language_model * lm;
      if (graph_.nodes[node].tail != kNone) {
        const Place last = task_.source.whole().end;
        const Coverage& coverage = coverages_[graph_.nodes[node].coverage];
        const Orientation orientation = coverages_.orientation(coverage.blocks, {last, last});
        added += task_.options.options[graph_.nodes[node].tail].next[static_cast<std::size_t>(orientation)];
      }
      if (task_.sparse != nullptr) added += task_.sparse->end_score(graph_.nodes[node].sparse);
      if (task_.constraint != nullptr) {
        const float wanted = task_.constraint->end(graph_.nodes[node].constraint);
        if (wanted == Constraint::kNever) continue;
        added += wanted;
      }
      const float score = graph_.nodes[node].score + added;
      graph_.arcs.push_back({node, kNone, kNone, goal.arcs, added});
      goal.arcs = static_cast<std::uint32_t>(graph_.arcs.size() - 1);
      if (goal.best == kNone || score > goal.score) {
        goal.score = score;
        goal.best = goal.arcs;
      }
    }
    if (goal.best == kNone) return;
    graph_.nodes.push_back(goal);
    graph_.goal = number;
  }

  struct Ranked {
    float total;
    std::uint32_t node;
  };

  const Task& task_;
  const StepWeights& weights_;
  BeamOptions limits_;
  Matches& matches_;
  Coverages& coverages_;
  BeamStatistics& statistics_;
  bool with_model_;
  Graph graph_;
  std::vector<std::vector<std::uint32_t>> groups_;  // nodes by number of covered places
  std::vector<std::vector<Cube>> cubes_;
  std::vector<Item> heap_, corners_;
  std::vector<Ranked> order_;
  std::vector<std::uint32_t> coverage_rank_, coverages_seen_, table_;
  std::vector<std::uint64_t> best_of_coverage_;
  std::vector<Span> skipped_;
  std::size_t table_used_ = 0;
};

}  // namespace

Graph search(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
             Coverages& coverages, BeamStatistics& statistics) {
  return Beam(task, weights, limits, matches, coverages, statistics).run();
}

}  // namespace isogloss::search
