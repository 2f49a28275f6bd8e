"""Neutralize reference lengths, so that a reranker learns nothing about length.

A reranker trained on the BLEU of a set whose references are longer than the decoder's choice learns to prefer
long candidates on any text. The decoder was already tuned for length; if reference lengths are scaled so that
the decoder's choice has the right length, nothing is learned about it. This also makes sets with different
references comparable: training sentences have one reference, a development set several, and BLEU uses the
closest length.
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
    """The problem with reference lengths scaled to the length of the decoder's choice."""
    if not isinstance(problem.metric, Bleu):
        raise ConfigError(
            "the length 'decoder' needs the metric BLEU; other metrics have no reference length"
        )
    best = best_rows(problem.store)
    right = problem.statistics[best].copy()
    right[:, _REFERENCE] = right[:, _LENGTH]
    return Problem(problem.store, problem.metric, with_lengths_like(problem.statistics, best, right))


def with_lengths_like(statistics: Statistics, best: Int64, like: Statistics) -> Statistics:
    """BLEU statistics with scaled reference lengths, so that the length ratio of the candidates ``best``
    equals that of another set, whose statistics are ``like``."""
    own, other = statistics[best].sum(axis=0), like.sum(axis=0)
    if not (own[_LENGTH] and other[_LENGTH]):
        return statistics
    factor = (own[_LENGTH] / own[_REFERENCE]) / (other[_LENGTH] / other[_REFERENCE])
    changed = statistics.copy()
    lengths = np.rint(statistics[:, _REFERENCE] * factor)
    changed[:, _REFERENCE] = np.where(statistics[:, _REFERENCE] > 0, np.maximum(lengths, 1), 0)
    return changed
