#include "lm/arpa_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/numbers.hpp"
#include "base/parallel.hpp"

namespace isogloss::lm {
namespace {

constexpr std::size_t kLines = 1 << 14;

}  // namespace

std::string arpa_lines(const Trie& trie, unsigned order, const text::Vocabulary& vocabulary,
                       std::span<const float> log_probs, std::span<const float> backoffs, std::size_t begin,
                       std::size_t end, std::size_t threads) {
  if (order < 1 || order > trie.order() || end > log_probs.size() ||
      (!backoffs.empty() && end > backoffs.size()) || trie.levels[0].counts.size() > vocabulary.size())
    throw std::invalid_argument("the columns of the model do not match");
  std::vector<std::string> pieces((end - begin + kLines - 1) / kLines);
  parallel_for(pieces.size(), threads, [&](std::size_t shard, std::size_t) {
    std::string& out = pieces[shard];
    const std::size_t first = begin + shard * kLines;
    const std::size_t last = std::min(end, first + kLines);
    out.reserve((last - first) * (20 + 8 * order));
    TrieCursor cursor(trie, order, first);
    for (std::size_t i = first; i < last; ++i) {
      if (i > first) cursor.advance();
      if (!trie.kept(order, i)) continue;
      append_number(out, log_probs[i]);
      for (unsigned k = 0; k < order; ++k) {
        out.push_back(k == 0 ? '\t' : ' ');
        out.append(vocabulary.word(cursor.words()[k]));
      }
      if (!backoffs.empty()) {
        out.push_back('\t');
        append_number(out, backoffs[i] + 0.0f);  // no "-0"
      }
      out.push_back('\n');
    }
  });
  std::string all;
  std::size_t size = 0;
  for (const std::string& piece : pieces) size += piece.size();
  all.reserve(size);
  for (const std::string& piece : pieces) all += piece;
  return all;
}

}  // namespace isogloss::lm
