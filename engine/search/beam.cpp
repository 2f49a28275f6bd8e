#include "search/beam.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/beam_memory.hpp"

namespace isogloss::search {
namespace {

using Item = QueueItem;

constexpr float kTaken = -std::numeric_limits<float>::max();

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
       Coverages& coverages, BeamStatistics& statistics, BeamMemory& memory)
      : scored_(scored), task_(task), weights_(weights), limits_(limits), coverages_(coverages),
        parents_(scored.sparse && matches.limits().hierarchical), hypotheses_(memory.hypotheses),
        cubes_(memory.cubes), lm_(memory.lm), heap_(memory.heap), corners_(memory.corners) {
    hypotheses_.begin(task.source.places(), coverages, graph_, statistics);
    cubes_.begin(task, weights, limits_, matches, coverages);
    lm_.begin(task.language_model, task.options, limits_.pop_limit * task.source.places());
  }

  Graph run() {
    const Span whole = task_.source.whole();
    const std::uint32_t open_spans = whole.empty() ? 0 : coverages_.push(whole, 0);
    hypotheses_.start({0.0f, coverages_.number({open_spans, 0, 0}), kNone, kNone, 0, 0, kNone, LmStates::kBeginning,
                       JointScores::kBeginning});
    for (std::size_t covered = 0; covered < hypotheses_.groups(); ++covered) {
      if (covered > 0) fill(covered);
      if (limits_.deadline.passed()) limits_.beam_size = limits_.pop_limit = 1;
      hypotheses_.prune(covered, limits_.beam_size, limits_.threshold);
      if (covered + 1 < hypotheses_.groups()) expand(covered);
    }
    finish();
    return std::move(graph_);
  }

 private:
  void expand(std::size_t covered) {
    const auto group = hypotheses_.group(covered);
    const std::uint32_t first = hypotheses_.group_begin(covered);
    for (std::uint32_t begin = 0; begin < group.size();) {
      const std::uint32_t coverage = hypotheses_.node(group[begin]).coverage;
      std::uint32_t end = begin + 1;
      while (end < group.size() && hypotheses_.node(group[end]).coverage == coverage) ++end;
      cubes_.add({coverage, first + begin, end - begin, 0}, covered);
      begin = end;
    }
  }

  float estimate(const Cube& cube, const CubeSource& source, std::uint32_t hypothesis, std::uint32_t option) const {
    const Node& from = hypotheses_.kept(source.begin + hypothesis);
    const std::uint32_t number = cube.options_begin + option;
    if (!scored_.model) return from.score + constraint_score(from, number) + cube.rest;
    float score = dense_estimate(cube, source, hypothesis, option);
    if (scored_.sparse) score += sparse_step_score(cube, source, number);
    if (scored_.constraint) score += constraint_score(from, number);
    return score;
  }

  float dense_estimate(const Cube& cube, const CubeSource& source, std::uint32_t hypothesis,
                       std::uint32_t option) const {
    const Node& from = hypotheses_.kept(source.begin + hypothesis);
    const std::uint32_t number = cube.options_begin + option;
    float score = from.score + task_.options.options[number].optimistic_score + cube.constant + cube.rest;
    if (scored_.orientation) score += orientation_score(cube, from, number);
    return score;
  }

  float constraint_score(const Node& from, std::uint32_t option) const {
    return task_.constraint->score(from.constraint, task_.options.constraint_target(task_.options.options[option]));
  }

  float sparse_step_score(const Cube& cube, const CubeSource& source, std::uint32_t option) const {
    return task_.sparse->step_score(
        {option, source.parent, cube.orientation, cube.distortion, static_cast<std::uint8_t>(cube.side)});
  }

  float orientation_score(const Cube& cube, const Node& from, std::uint32_t option) const {
    const float previous = task_.options.options[option].previous[static_cast<std::size_t>(cube.orientation)];
    if (from.tail == kNone) return previous;
    return previous + task_.options.options[from.tail].next[static_cast<std::size_t>(cube.next)];
  }

  void fill(std::size_t covered) {
    std::vector<Cube>& cubes = cubes_.of(covered);
    heap_.clear();
    std::size_t pops = limits_.pop_limit > 0 ? limits_.pop_limit : static_cast<std::size_t>(-1);
    if (scored_.sparse && !scored_.constraint && cubes.size() > pops) {
      push_best_corners(cubes, pops);
    } else {
      for (std::uint32_t i = 0; i < cubes.size(); ++i) {
        // With a constraint the best option of one hypothesis says little about those of another.
        const std::uint32_t rows = scored_.constraint ? cubes_.source(cubes[i]).count : 1;
        for (std::uint32_t row = 0; row < rows; ++row) push_row(cubes[i], i, row, 0);
      }
    }
    hypotheses_.begin_group();
    if (limits_.diversity) {
      diversify(cubes, pops);
    } else {
      keep_best(pops);  // one pop, one cube: those beyond never come to the front
      std::make_heap(heap_.begin(), heap_.end(), worse);
    }
    while (!heap_.empty() && pops > 0) {
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      const Item item = heap_.back();
      heap_.pop_back();
      take(cubes, item);
      --pops;
      if (pops % 64 == 0 && limits_.deadline.passed()) break;
    }
  }

  void keep_best(std::size_t most) {
    if (heap_.size() <= most) return;
    std::nth_element(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(most), heap_.end(),
                     [](const Item& a, const Item& b) { return worse(b, a); });
    heap_.resize(most);
  }

  // Many cubes, few pops, and what sparse features add to a step takes longer than all the rest: only the corners of
  // those cubes are scored that may come to the front by what else is known of them.
  void push_best_corners(const std::vector<Cube>& cubes, std::size_t most) {
    for (std::uint32_t i = 0; i < cubes.size(); ++i) {
      if (cubes[i].options_count == 0) continue;
      heap_.push_back({dense_estimate(cubes[i], cubes_.source(cubes[i]), 0, 0), i, 0, 0});
    }
    keep_best(most);
    for (Item& item : heap_) {
      const Cube& cube = cubes[item.cube];
      item.estimate += sparse_step_score(cube, cubes_.source(cube), cube.options_begin);
    }
  }

  // The best extension of every coverage comes first, as long as half of the pops last.
  void diversify(std::vector<Cube>& cubes, std::size_t& pops) {
    // Every coverage is the source of its cubes; those of a group are near one another.
    std::uint32_t first_source = kNone, last_source = 0;
    for (const Cube& cube : cubes) {
      first_source = std::min(first_source, cube.source);
      last_source = std::max(last_source, cube.source);
    }
    best_of_source_.assign(cubes.empty() ? 0 : last_source - first_source + 1, kNone);
    for (std::uint32_t i = 0; i < heap_.size(); ++i) {
      std::uint32_t& best = best_of_source_[cubes[heap_[i].cube].source - first_source];
      if (best == kNone || worse(heap_[best], heap_[i])) best = i;
    }
    corners_.clear();
    for (std::uint32_t best : best_of_source_)
      if (best != kNone) corners_.push_back(heap_[best]);
    std::sort(corners_.begin(), corners_.end(), [](const Item& a, const Item& b) { return worse(b, a); });
    if (corners_.size() > pops / 2) corners_.resize(pops / 2);
    for (const Item& corner : corners_) {
      Item& place = heap_[best_of_source_[cubes[corner.cube].source - first_source]];
      place.estimate = kTaken;
    }
    std::erase_if(heap_, [](const Item& item) { return item.estimate == kTaken; });
    pops -= corners_.size();
    std::make_heap(heap_.begin(), heap_.end(), worse);
    for (const Item& corner : corners_) take(cubes, corner);
  }

  // Scores an item, puts it into its group, and its neighbors in the grid into the queue.
  void take(std::vector<Cube>& cubes, const Item& item) {
    Cube& cube = cubes[item.cube];
    // Phrases leave words around them open, but are not the parents of what is there.
    const std::uint32_t parent =
        scored_.sparse && parents_ && cube.has_gaps ? task_.sparse->parent_of(cube.options_begin + item.option) : 0;
    if (cube.after == kNone || cube.after_parent != parent) {
      cube.after = cubes_.coverage_after(cube, parent);
      cube.after_parent = parent;
    }
    extend(cube, cubes_.source(cube), item);
    const auto push = [&](std::uint32_t hypothesis, std::uint32_t option) {
      if (push_row(cube, item.cube, hypothesis, option)) std::push_heap(heap_.begin(), heap_.end(), worse);
    };
    push(item.hypothesis, item.option + 1);
    // Along one edge only, so that no item is reached twice.
    if (!scored_.constraint && item.option == 0 && item.hypothesis + 1 < cubes_.source(cube).count)
      push(item.hypothesis + 1, 0);
  }

  // Appends to the queue what a hypothesis can be extended by, from this option on: the first that is possible.
  bool push_row(const Cube& cube, std::uint32_t number, std::uint32_t hypothesis, std::uint32_t option) {
    for (; option < cube.options_count; ++option) {
      const float value = estimate(cube, cubes_.source(cube), hypothesis, option);
      if (value == Constraint::kNever) continue;
      heap_.push_back({value, number, hypothesis, option});
      return true;
    }
    return false;
  }

  void extend(const Cube& cube, const CubeSource& source, const Item& item) {
    const std::uint32_t number = hypotheses_.kept_number(source.begin + item.hypothesis);
    const Node& from = hypotheses_.node(number);
    const std::uint32_t option_number = cube.options_begin + item.option;
    const Option& option = task_.options.options[option_number];
    Node node;
    float added = 0;
    node.tail = kNone;
    node.sparse = node.constraint = 0;
    node.joint = from.joint;
    if (scored_.model) {
      added = option.constant + cube.constant;
      node.lm = from.lm;
      if (weights_.language_model != 0) {  // otherwise nobody asks what was said before
        const LmStates::Joined joined = lm_.join(from.lm, option_number);
        added += weights_.language_model * joined.log_prob;
        node.lm = joined.next;
      }
      if (task_.joint != nullptr) added += weights_.joint * join(option, option_number, node.joint);
      if (scored_.orientation) {
        added += orientation_score(cube, from, option_number);
        if (task_.with_next) node.tail = option_number;
      }
    } else {
      node.lm = from.lm;  // the same everywhere
    }
    if (scored_.constraint) {
      added += constraint_score(from, option_number);
      node.constraint = task_.constraint->after(from.constraint, task_.options.constraint_target(option));
    }
    if (scored_.sparse && scored_.model) {
      const features::Crossing crossing = task_.sparse->cross(from.sparse, option_number);
      added += sparse_step_score(cube, source, option_number) + crossing.score;
      node.sparse = crossing.after;
    }
    node.score = from.score + added;
    node.coverage = cube.after;
    hypotheses_.add(node, {number, cube.match, option_number, kNone, added});
  }

  /// What the joint model says of an option's first words, which depend on what stands before; goes on with its history.
  float join(const Option& option, std::uint32_t number, std::uint32_t& history) {
    const std::size_t length = task_.joint->length();
    const std::size_t open = std::min<std::size_t>(option.word_count, length);
    const std::uint32_t* words = task_.options.joint_words.data() + option.words_begin;
    const Place* positions = task_.options.joint_positions.data() + option.words_begin;
    float log_prob = 0;
    for (std::size_t i = 0; i < open; ++i) {
      const JointScores::Scored scored = task_.joint->score(history, positions[i], words[i]);
      log_prob += scored.log_prob;
      history = scored.next;
    }
    if (option.word_count > length) history = task_.options.joint_ends[number];
    return log_prob;
  }

  void finish() {
    Graph& graph = graph_;
    Node goal{};
    goal.score = Estimates::kImpossible;
    goal.coverage = goal.tail = goal.arcs = goal.best = kNone;
    for (std::uint32_t number : hypotheses_.group(hypotheses_.groups() - 1)) {
      const Node& node = graph.nodes[number];
      lm::State end;
      const float lm = task_.language_model.score(lm_[node.lm], task_.language_model.end_of_sentence(), end).log_prob;
      float added = weights_.language_model * lm;
      if (task_.joint != nullptr)
        added += weights_.joint *
                 task_.joint->score(node.joint, task_.joint->end_position(), neural::kEnd).log_prob;
      if (node.tail != kNone) {
        const Place last = task_.source.whole().end;
        const Orientation orientation = coverages_.next_orientation(
            coverages_[node.coverage], coverages_[node.coverage].own, {last, last});
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
  Graph graph_;
  Hypotheses& hypotheses_;
  Cubes& cubes_;
  LmStates& lm_;
  std::vector<Item>&heap_, &corners_;
  std::vector<std::uint32_t> best_of_source_;
};

}  // namespace

Graph search(const Task& task, const StepWeights& weights, const BeamOptions& limits, Matches& matches,
             Coverages& coverages, BeamStatistics& statistics, BeamMemory& memory) {
  const auto run = [&](auto scored) {
    return Beam(scored, task, weights, limits, matches, coverages, statistics, memory).run();
  };
  const bool sparse = task.sparse != nullptr, orientation = task.with_orientation;
  if (task.constraint != nullptr) return run(ByConstraint{task.constraint->with_model(), sparse, orientation});
  if (sparse) return orientation ? run(ByModel<true, true>{}) : run(ByModel<true, false>{});
  return orientation ? run(ByModel<false, true>{}) : run(ByModel<false, false>{});
}

}  // namespace isogloss::search
