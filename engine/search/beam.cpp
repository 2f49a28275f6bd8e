#include "search/beam.hpp"

#include <algorithm>
#include <utility>

#include "search/cubes.hpp"

namespace isogloss::search {
namespace {

/// A cell of a cube in the queue.
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

/// What a search scores is known before it begins. Where nothing but the model counts these are constants, so that the
/// loop over extensions asks nothing; with a constraint, which is asked about every extension anyway, they are not.
template <bool has_sparse, bool has_orientation>
struct ByModel {
  static constexpr bool model = true, constraint = false, sparse = has_sparse, orientation = has_orientation;
};
struct ByConstraint {
  static constexpr bool constraint = true;
  bool model, sparse, orientation;
};

template <class Scored>
class Beam {
 public:
  Beam(Scored scored, const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
       Coverages& coverages, BeamStatistics& statistics)
      : scored_(scored), task_(task), weights_(weights), limits_(limits), coverages_(coverages),
        parents_(scored.sparse && matches.limits().hierarchical),
        hypotheses_(task.source.places(), coverages, statistics), cubes_(task, weights, limits_, matches, coverages) {}

  Graph run() {
    const Span whole = task_.source.whole();
    const std::uint32_t open_spans = whole.empty() ? 0 : coverages_.push(whole, 0);
    hypotheses_.start({0.0f, coverages_.number({open_spans, 0, 0}), kNone, kNone, 0, 0, kNone,
                       task_.language_model.begin_sentence()});
    for (std::size_t covered = 0; covered < hypotheses_.groups(); ++covered) {
      if (covered > 0) fill(covered);
      if (is_late()) limits_.beam_size = limits_.pop_limit = 1;
      hypotheses_.prune(covered, limits_.beam_size, limits_.threshold);
      if (covered + 1 < hypotheses_.groups()) expand(covered);
    }
    finish();
    return std::move(hypotheses_.graph());
  }

 private:
  bool is_late() const {
    constexpr auto never = std::chrono::steady_clock::time_point::max();
    return limits_.deadline != never && std::chrono::steady_clock::now() >= limits_.deadline;
  }

  void expand(std::size_t covered) {
    const auto group = hypotheses_.group(covered);
    for (std::size_t begin = 0; begin < group.size();) {
      const std::uint32_t coverage = hypotheses_.node(group[begin]).coverage;
      std::size_t end = begin + 1;
      while (end < group.size() && hypotheses_.node(group[end]).coverage == coverage) ++end;
      cubes_.add(coverage, covered, begin, end - begin);
      begin = end;
    }
  }

  std::uint32_t node_of(const Cube& cube, std::uint32_t hypothesis) const {
    return hypotheses_.group(cube.group)[cube.hypotheses_begin + hypothesis];
  }

  float estimate(const Cube& cube, std::uint32_t hypothesis, std::uint32_t option) const {
    const Node& from = hypotheses_.node(node_of(cube, hypothesis));
    const std::uint32_t number = cube.options_begin + option;
    if (!scored_.model) return from.score + constraint_score(from, number) + cube.rest;
    float score = from.score + task_.options.options[number].optimistic_score + cube.constant + cube.rest;
    if (scored_.orientation) score += orientation_score(cube, from, number);
    if (scored_.sparse) score += sparse_step_score(cube, number);
    if (scored_.constraint) score += constraint_score(from, number);
    return score;
  }

  float constraint_score(const Node& from, std::uint32_t option) const {
    return task_.constraint->score(from.constraint, task_.options.constraint_target(task_.options.options[option]));
  }

  float sparse_step_score(const Cube& cube, std::uint32_t option) const {
    return task_.sparse->step_score(
        {option, cube.parent, cube.orientation, cube.distortion, static_cast<std::uint8_t>(cube.side)});
  }

  float orientation_score(const Cube& cube, const Node& from, std::uint32_t option) const {
    const auto orientation = static_cast<std::size_t>(cube.orientation);
    const float previous = task_.options.options[option].previous[orientation];
    return from.tail == kNone ? previous : previous + task_.options.options[from.tail].next[orientation];
  }

  void fill(std::size_t covered) {
    std::vector<Cube> cubes = cubes_.take(covered);
    heap_.clear();
    for (std::uint32_t i = 0; i < cubes.size(); ++i) {
      // With a constraint the best option of one hypothesis says little about those of another.
      const std::uint32_t rows = scored_.constraint ? cubes[i].hypotheses_count : 1;
      for (std::uint32_t row = 0; row < rows; ++row) push_row(cubes[i], i, row, 0);
    }
    std::make_heap(heap_.begin(), heap_.end(), worse);
    hypotheses_.begin_group();
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

  // Scores an item, puts it into its group, and its neighbors in the grid into the queue.
  void take(std::vector<Cube>& cubes, const Item& item, std::size_t covered) {
    Cube& cube = cubes[item.cube];
    // Phrases leave words around them open, but are not the parents of what is there.
    const std::uint32_t parent =
        scored_.sparse && parents_ && cube.has_gaps ? task_.sparse->parent_of(cube.options_begin + item.option) : 0;
    if (cube.after == kNone || cube.after_parent != parent) {
      cube.after = cubes_.coverage_after(cube, parent);
      cube.after_parent = parent;
    }
    extend(cube, item, covered);
    const auto push = [&](std::uint32_t hypothesis, std::uint32_t option) {
      if (push_row(cube, item.cube, hypothesis, option)) std::push_heap(heap_.begin(), heap_.end(), worse);
    };
    push(item.hypothesis, item.option + 1);
    // Along one edge only, so that no item is reached twice.
    if (!scored_.constraint && item.option == 0 && item.hypothesis + 1 < cube.hypotheses_count)
      push(item.hypothesis + 1, 0);
  }

  // Appends to the queue what a hypothesis can be extended by, from this option on: the first that is possible.
  bool push_row(const Cube& cube, std::uint32_t number, std::uint32_t hypothesis, std::uint32_t option) {
    for (; option < cube.options_count; ++option) {
      const float value = estimate(cube, hypothesis, option);
      if (value == Constraint::kNever) continue;
      heap_.push_back({value, number, hypothesis, option});
      return true;
    }
    return false;
  }

  void extend(const Cube& cube, const Item& item, std::size_t covered) {
    const std::uint32_t number = node_of(cube, item.hypothesis);
    const Node& from = hypotheses_.node(number);
    const std::uint32_t option_number = cube.options_begin + item.option;
    const Option& option = task_.options.options[option_number];
    Node node;
    float added = 0;
    node.tail = kNone;
    node.sparse = node.constraint = 0;
    if (scored_.model) {
      added = option.constant + cube.constant;
      if (weights_.language_model != 0) {
        added += weights_.language_model * lm::join(task_.language_model, from.lm, task_.options.lm_target(option),
                                                    option.phrase, node.lm);
      } else {
        node.lm = from.lm;  // nobody asks what was said before
      }
      if (scored_.orientation) {
        added += orientation_score(cube, from, option_number);
        node.tail = option_number;
      }
    } else {
      node.lm = from.lm;  // the same everywhere
    }
    if (scored_.constraint) {
      added += constraint_score(from, option_number);
      node.constraint = task_.constraint->after(from.constraint, task_.options.constraint_target(option));
    }
    if (scored_.sparse && scored_.model) {
      added += sparse_step_score(cube, option_number) + task_.sparse->border_score(from.sparse, option_number);
      node.sparse = task_.sparse->after(from.sparse, option_number);
    }
    node.score = from.score + added;
    node.coverage = cube.after;
    hypotheses_.add(node, {number, cube.match, option_number, kNone, added}, covered);
  }

  void finish() {
    Graph& graph = hypotheses_.graph();
    Node goal{};
    goal.score = Estimates::kImpossible;
    goal.coverage = goal.tail = goal.arcs = goal.best = kNone;
    for (std::uint32_t number : hypotheses_.group(hypotheses_.groups() - 1)) {
      const Node& node = graph.nodes[number];
      lm::State end;
      const float lm = task_.language_model.score(node.lm, task_.language_model.end_of_sentence(), end).log_prob;
      float added = weights_.language_model * lm;
      if (node.tail != kNone) {
        const Place last = task_.source.whole().end;
        const Orientation orientation = coverages_.orientation(coverages_[node.coverage].blocks, {last, last});
        added += task_.options.options[node.tail].next[static_cast<std::size_t>(orientation)];
      }
      if (scored_.sparse) added += task_.sparse->end_score(node.sparse);
      if (scored_.constraint) {
        const float wanted = task_.constraint->end(node.constraint);
        if (wanted == Constraint::kNever) continue;
        added += wanted;
      }
      const float score = node.score + added;
      graph.arcs.push_back({number, kNone, kNone, goal.arcs, added});
      goal.arcs = static_cast<std::uint32_t>(graph.arcs.size() - 1);
      if (goal.best == kNone || score > goal.score) {
        goal.score = score;
        goal.best = goal.arcs;
      }
    }
    if (goal.best == kNone) return;
    graph.goal = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back(goal);
  }

  [[no_unique_address]] Scored scored_;
  const Task& task_;
  const StepWeights& weights_;
  BeamOptions limits_;
  Coverages& coverages_;
  bool parents_;  // whether open spans remember the rule that left them
  Hypotheses hypotheses_;
  Cubes cubes_;
  std::vector<Item> heap_, corners_;
  std::vector<std::uint64_t> best_of_coverage_;
};

}  // namespace

Graph search(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
             Coverages& coverages, BeamStatistics& statistics) {
  const auto run = [&](auto scored) {
    return Beam(scored, task, weights, limits, matches, coverages, statistics).run();
  };
  const bool sparse = task.sparse != nullptr, orientation = task.with_orientation;
  if (task.constraint != nullptr) return run(ByConstraint{task.constraint->with_model(), sparse, orientation});
  if (sparse) return orientation ? run(ByModel<true, true>{}) : run(ByModel<true, false>{});
  return orientation ? run(ByModel<false, true>{}) : run(ByModel<false, false>{});
}

}  // namespace isogloss::search
