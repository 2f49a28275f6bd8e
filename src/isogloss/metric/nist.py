"""NIST (Doddington 2002) as the script mteval-v13a defines it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from isogloss import _engine
from isogloss._version import __version__
from isogloss.metric.interface import FloatArray, Metric, Statistics
from isogloss.metric.references import References
from isogloss.metric.tokens import ScoringEncoder, ScoringTokenizer

__all__ = ["Nist"]

_BETA = log(2) / log(1.5) ** 2
"""A document two thirds as long as its references keeps half of its score."""


class Nist(Metric):
    """Information of the matched n-grams per n-gram, summed over n, with a penalty for shortness.

    The information of an n-gram is log2 of the count of its first n-1 words in all references divided by the
    count of the whole n-gram: rare words and rare continuations count more. Matches are clipped by the
    reference that has the n-gram most often; the penalty uses the mean length of the available references.

    >>> references = References([["the cat sat on the mat"]])
    >>> metric = Nist()
    >>> round(metric.score(metric.statistics(["the cat sat"], references).sum(axis=0)), 4)
    0.363
    """

    name = "NIST"

    def __init__(
        self, *, order: int = 5, tokenize: str = "none", lowercase: bool = False, threads: int = 1
    ) -> None:
        self.order = order
        self._encoder = ScoringEncoder(ScoringTokenizer(tokenize, lowercase=lowercase))
        self._threads = threads

    def signature(self, references: References) -> str:
        """Settings and version, in the style of sacreBLEU."""
        case = "lc" if self._encoder.tokenizer.lowercase else "mixed"
        return (
            f"nrefs:{references.count or 'var'}|case:{case}|order:{self.order}"
            f"|tok:{self._encoder.tokenizer.signature}|version:isogloss-{__version__}"
        )

    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> FloatArray:
        """Columns: length, mean reference length, information matched by order, n-grams by order."""
        return _engine.nist_statistics(
            *self._encoder.arrays(hypotheses, references, sentences),
            order=self.order,
            threads=self._threads,
        )

    def score(self, summed: Statistics) -> float:
        """NIST from summed statistics."""
        return float(self.scores(np.asarray(summed)[np.newaxis])[0])

    def scores(self, rows: Statistics) -> FloatArray:
        """NIST of each row."""
        length, reference_length = rows[:, 0], rows[:, 1]
        information, totals = np.split(rows[:, 2:], 2, axis=1)
        # A document without words has no information, so any penalty works.
        ratio = np.where(length > 0, length / np.maximum(reference_length, 1e-300), 1.0)
        penalty = np.exp(-_BETA * np.log(np.minimum(ratio, 1.0)) ** 2)
        return np.asarray((information / np.maximum(totals, 1)).sum(axis=1) * penalty, dtype=np.float64)
