#pragma once

#include <span>

#include "nbest/columns.hpp"
#include "search/decoder.hpp"

namespace isogloss::search {

using nbest::NbestColumns;

/// What a decoder translated as an n-best list; the sentences' numbers begin at 0. Where there are derivations it has
/// word alignments.
NbestColumns nbest_list(const Decoder& decoder, std::span<const TranslatedSentence> sentences);

}  // namespace isogloss::search
