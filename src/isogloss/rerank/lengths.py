"""How long translations should be is not to be learned from every set.

A reranker that sees the BLEU of a set whose references are longer than the decoder's choice learns to prefer
long candidates, whatever it translates later. The decoder was tuned to a length already; references whose
lengths are multiplied, so that the decoder's choice is as long as they are, say nothing about it. The
same brings sets together whose references differ: training sentences have one, a development set several, of
which BLEU takes the length that is closest.
"""

from __future__ import annotations

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.learn.problem import Problem
from isogloss.metric import Bleu
from isogloss.metric.interface import Statistics
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64

__all__ = ["at_decoder_length", "with_lengths_like"]

_LENGTH, _REFERENCE = 0, 1  # columns of BLEU's statistics


def at_decoder_length(problem: Problem) -> Problem:
    """The problem with reference lengths for which the decoder's choice is just right."""
    if not isinstance(problem.metric, Bleu):
        raise ConfigError(
            "the length 'decoder' needs the metric BLEU; other metrics have no reference length"
        )
    best = best_rows(problem.store)
    right = problem.statistics[best].copy()
    right[:, _REFERENCE] = right[:, _LENGTH]
    return Problem(problem.store, problem.metric, with_lengths_like(problem.statistics, best, right))


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
