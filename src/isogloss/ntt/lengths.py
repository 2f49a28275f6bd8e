"""Sets with references of different lengths, learned from together.

Training sentences have one reference, a development set several, of which BLEU takes the length that is
closest; and people who translate for one set are briefer than those of another. A learner that sees the BLEU
of both as one document would make its translations longer or shorter everywhere, to make up for what one of
the sets lacks.
"""

from __future__ import annotations

import numpy as np

from isogloss.metric.interface import Statistics
from isogloss.nbest.store import Int64

__all__ = ["with_lengths_like"]

_LENGTH, _REFERENCE = 0, 1  # columns of BLEU's statistics


def with_lengths_like(statistics: Statistics, best: Int64, like: Statistics) -> Statistics:
    """BLEU statistics with reference lengths multiplied so that the candidates ``best`` are as long, compared
    with their references, as those of another set, whose statistics are ``like``."""
    own, other = statistics[best].sum(axis=0), like.sum(axis=0)
    if not (own[_LENGTH] and other[_LENGTH]):
        return statistics
    factor = (own[_LENGTH] / own[_REFERENCE]) / (other[_LENGTH] / other[_REFERENCE])
    changed = statistics.copy()
    lengths = np.rint(statistics[:, _REFERENCE] * factor)
    changed[:, _REFERENCE] = np.where(statistics[:, _REFERENCE] > 0, np.maximum(lengths, 1), 0)
    return changed
