#include "search/joint_source.hpp"

#include <algorithm>
#include <limits>

namespace isogloss::search {
namespace {

/// The arcs of the input itself on the path with the highest score, in order; every arc leads to a higher place.
std::vector<const SourceArc*> best_path(const Source& source) {
  std::vector<float> best(source.places(), -std::numeric_limits<float>::infinity());
  std::vector<const SourceArc*> into(source.places(), nullptr);
  best[0] = 0;
  for (const SourceArc& arc : source.arcs()) {
    if (arc.kind != ArcKind::kGiven) continue;
    const float score = best[arc.begin] + arc.score;
    if (into[arc.end] == nullptr || score > best[arc.end]) best[arc.end] = score, into[arc.end] = &arc;
  }
  std::vector<const SourceArc*> path;
  for (const SourceArc* arc = into[source.whole().end]; arc != nullptr; arc = into[arc->begin]) path.push_back(arc);
  std::ranges::reverse(path);
  return path;
}

}  // namespace

JointSource::JointSource(const neural::JointModel& model, std::span<const std::uint32_t> target_numbers,
                         const Source& source, std::span<const std::string> words)
    : model_(&model), target_numbers_(target_numbers) {
  const std::vector<const SourceArc*> path = best_path(source);
  std::vector<std::uint32_t> numbers;
  for (const SourceArc* arc : path)
    numbers.push_back(arc->token_count == 1 ? model.source_number(words[arc->token])
                                            : static_cast<std::uint32_t>(neural::kRare));
  positions_.resize(source.places());
  for (std::size_t place = 0, at = 0; place < source.places(); ++place) {
    while (at < path.size() && path[at]->end <= place) ++at;
    positions_[place] = static_cast<Place>(at);
  }
  for (const std::string& word : words) passed_.push_back(model.target_number(word));
  model.windows(numbers, windows_);
}

}  // namespace isogloss::search
