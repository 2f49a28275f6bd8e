#include "search/source.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace isogloss::search {

Source::Source(std::size_t places, std::vector<SourceArc> arcs, std::vector<FixedWord> fixed_words)
    : arcs_(std::move(arcs)), fixed_words_(std::move(fixed_words)) {
  if (places == 0 || places > kMostPlaces)
    throw std::invalid_argument("a lattice of " + std::to_string(places) + " places");
  for (const SourceArc& arc : arcs_) {
    if (arc.begin >= arc.end || arc.end >= places)
      throw std::invalid_argument("an arc of the lattice leads from " + std::to_string(arc.begin) + " to " +
                                  std::to_string(arc.end));
    if (arc.fixed_begin > arc.fixed_end || arc.fixed_end > fixed_words_.size())
      throw std::invalid_argument("the given translation of an arc does not exist");
  }
  std::stable_sort(arcs_.begin(), arcs_.end(),
                   [](const SourceArc& a, const SourceArc& b) { return a.begin < b.begin; });
  first_.resize(places + 1);
  index();
  const Place last = static_cast<Place>(places - 1);
  if (!reaches(0, last)) throw std::invalid_argument("the lattice has no path from its first node to its last");
  const auto useless = [&](const SourceArc& arc) { return !reaches(0, arc.begin) || !reaches(arc.end, last); };
  if (std::erase_if(arcs_, useless) > 0) index();
}

void Source::index() {
  const std::size_t places = first_.size() - 1;
  std::fill(first_.begin(), first_.end(), 0);
  for (const SourceArc& arc : arcs_) ++first_[arc.begin + std::size_t{1}];
  for (std::size_t i = 0; i < places; ++i) first_[i + 1] += first_[i];

  distance_.assign(places * places, kUnreachable);
  for (std::size_t a = places; a-- > 0;) {
    std::uint16_t* row = distance_.data() + a * places;
    row[a] = 0;
    for (const SourceArc& arc : from(static_cast<Place>(a))) {
      const std::uint16_t* onward = distance_.data() + arc.end * places;
      for (std::size_t b = arc.end; b < places; ++b)
        if (onward[b] != kUnreachable) row[b] = std::min<std::uint16_t>(row[b], onward[b] + 1);
    }
  }
}

}  // namespace isogloss::search
