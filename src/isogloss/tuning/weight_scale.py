"""The size of weights: learners with a margin make all weights larger that they learn.

They move a weight by small steps where candidates differ in the feature. A large weight that only a few
sentences test, such as that of ``unknown``, stays where it was and would lose its influence.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isogloss.nbest.store import NbestStore

__all__ = ["in_proportion", "spread"]

_MOVED = 0.1  # of its size; a weight that moved less was not learned


def spread(lists: NbestStore, weights: Mapping[str, float]) -> float:
    """The spread of the scores of the candidates of a sentence, with the features that have weights."""
    scores = lists.dense @ np.array([weights.get(name, 0.0) for name in lists.dense_names])
    first, counts = lists.sentence_offsets[:-1], np.diff(lists.sentence_offsets)
    means = np.repeat(np.add.reduceat(scores, first) / counts, counts)
    return float(np.sqrt(np.mean((scores - means) ** 2)))


def in_proportion(
    lists: NbestStore, start: Mapping[str, float], learned: Mapping[str, float]
) -> dict[str, float]:
    """The learned weights, in which those that were not learned keep their proportion to the others."""
    before = {name: start.get(name, 0.0) for name in learned}
    moved = {
        name for name, weight in learned.items() if abs(weight - before[name]) > _MOVED * abs(before[name])
    }
    small, large = (spread(lists, {name: one[name] for name in moved}) for one in (before, learned))
    growth = large / small if small > 0 and large > 0 else 1.0
    return {name: weight if name in moved else weight * growth for name, weight in learned.items()}
