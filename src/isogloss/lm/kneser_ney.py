"""Interpolated modified Kneser-Ney: discounts, and the order of the steps.

The work per n-gram is in ``engine/lm/kneser_ney.hpp``, with the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss._engine import LmTrie, lm_log_backoffs, lm_log_probabilities
from isogloss.io.progress import Track, no_track
from isogloss.lm.counts import Counts
from isogloss.lm.scratch import Scratch

__all__ = ["Discounts", "Estimate", "discounts_of", "estimate"]

_Floats = npt.NDArray[np.float32]

_STEP = 1 << 20
_NONE = np.zeros(0, np.uint32)
_NO_BACKOFFS = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discounts:
    """Discounts for one order."""

    amounts: tuple[float, float, float]
    """Discounts for counts 1, 2, and 3 or more."""
    fallback: str | None = None
    """Why they could not be estimated, so that fixed ones are used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimated model: for each order, log10 probabilities and back-off weights by entry of the trie."""

    counts: Counts
    trie: LmTrie
    discounts: tuple[Discounts, ...]
    log_probs: tuple[_Floats, ...]
    backoffs: tuple[_Floats, ...]
    """Empty for the highest order."""


def discounts_of(with_count: Sequence[int], fallback: tuple[float, float, float]) -> Discounts:
    """Discounts from the numbers of n-grams with adjusted count 0 to 4 (Chen and Goodman, equation 26).

    >>> [round(amount, 3) for amount in discounts_of([0, 100, 40, 20, 12], (0.5, 1.0, 1.5)).amounts]
    [0.556, 1.167, 1.667]
    >>> discounts_of([0, 9, 0, 0, 0], (0.5, 1.0, 1.5)).fallback
    'no n-gram has adjusted count 2'
    """
    n = with_count
    for count in (1, 2, 3):
        if n[count] == 0:
            return Discounts(amounts=fallback, fallback=f"no n-gram has adjusted count {count}")
    y = n[1] / (n[1] + 2 * n[2])
    one, two, three = (count - (count + 1) * y * n[count + 1] / n[count] for count in (1, 2, 3))
    for count, amount in enumerate((one, two, three), start=1):
        if not 0 < amount <= count:
            return Discounts(
                amounts=fallback, fallback=f"the discount of count {count} would be {amount:.4g}"
            )
    return Discounts(amounts=(one, two, three))


def estimate(
    counts: Counts,
    *,
    fallback: tuple[float, float, float],
    scratch: Scratch,
    threads: int,
    track: Track = no_track,
) -> Estimate:
    """Estimate all orders from the shortest to the longest."""
    trie = counts.trie()
    discounts = tuple(discounts_of(with_count, fallback) for with_count in counts.with_count)
    sizes = [len(level[1]) for level in counts.columns]
    log_probs: list[_Floats] = []
    backoffs: list[_Floats] = []
    contexts, shorter = _NONE, np.zeros(0, np.float64)
    for order in track(range(1, counts.order + 1), "estimating orders", counts.order):
        amounts = [0.0, *discounts[order - 1].amounts]
        size = sizes[order - 1]
        below = 1 if order == 1 else sizes[order - 2]
        if order == 2:
            contexts = counts.columns[1][0]  # the context of a bigram is its first word
        elif order > 2:
            linked = scratch.empty(size, np.uint32)
            for begin, end in scratch.ranges(below, _STEP):
                trie.link_contexts(order, contexts, begin, end, threads, linked)
            contexts = linked
        sums = scratch.zeros((below, 5), np.uint32)
        for begin, end in scratch.ranges(size, _STEP):
            trie.add_to_contexts(order, contexts, begin, end, sums)
        probabilities = scratch.empty(size, np.float64)
        if order == 1:
            trie.unigram_probabilities(sums, amounts, counts.special[0], probabilities)
        else:
            weights = scratch.empty(below, np.float32)
            for begin, end in scratch.ranges(below, _STEP):
                lm_log_backoffs(sums, amounts, begin, end, threads, weights)
                trie.interpolate(order, contexts, sums, amounts, shorter, begin, end, threads, probabilities)
            backoffs.append(weights)
        logs = scratch.empty(size, np.float32)
        for begin, end in scratch.ranges(size, _STEP):
            lm_log_probabilities(probabilities, begin, end, threads, logs)
        log_probs.append(logs)
        shorter = probabilities
    return Estimate(
        counts=counts,
        trie=trie,
        discounts=discounts,
        log_probs=tuple(log_probs),
        backoffs=(*backoffs, _NO_BACKOFFS),
    )
