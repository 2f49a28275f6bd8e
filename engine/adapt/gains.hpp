#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace isogloss::adapt {

/// B of Chiang et al. (2008), for every candidate: BLEU of a pseudo-document together with the candidate, times the
/// words of the references of both. The document is the `chosen` candidates of the examples so far, faded by `decay`
/// from one example to the next; before the first example it is what that would come to on average.
///
/// `statistics` has bleu_columns(order) numbers per candidate (metric/bleu.hpp), `offsets` the candidates of each
/// example, `chosen` a row of each example. Throws std::invalid_argument if sizes do not fit.
void document_gains(std::span<const std::int32_t> statistics, std::span<const std::int64_t> offsets,
                    std::span<const std::int64_t> chosen, std::size_t order, double decay, std::span<double> gains);

}  // namespace isogloss::adapt
