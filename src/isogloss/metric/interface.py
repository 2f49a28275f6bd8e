"""What a metric is to everything that uses one: significance tests, tuners, rerankers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.io.progress import Track
from isogloss.metric.references import References

__all__ = ["FloatArray", "Metric", "Statistics"]

FloatArray = NDArray[np.float64]
Statistics = NDArray[Any]
"""A matrix of numbers, one row per hypothesis."""


class Metric(ABC):
    """A score of a whole document that is a function of summed statistics of its sentences.

    Because only sums matter, a sentence can be exchanged or a document resampled without looking at the
    text again. ``named`` makes the usual ones; your own is a class with ``name`` and the methods below.

    >>> metric = Metric.named("bleu")
    >>> references = References([["the cat sat on the mat"]])
    >>> rows = metric.statistics(["the cat sat on the mat"], references)
    >>> round(metric.score(rows.sum(axis=0)), 2)
    100.0
    """

    name: str
    """As it is printed."""
    higher_is_better: bool = True

    @staticmethod
    def named(
        name: str, *, tokenize: str = "none", lowercase: bool = False, progress: Track | None = None
    ) -> Metric:
        """A metric by its name: bleu, nist, chrf or ter.

        ``tokenize`` is sacreBLEU's tokenizer for BLEU and NIST; ``none`` is for text that is tokenized
        already. TER always ignores case. ``progress`` sees the sentences go by.
        """
        from isogloss.metric.named import metric_named

        return metric_named(name, tokenize=tokenize, lowercase=lowercase, progress=progress)

    @abstractmethod
    def signature(self, references: References) -> str:
        """All that must be known to compute the same score again, in one line."""

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> Statistics:
        """One row per hypothesis; rows can be summed.

        Hypothesis c translates sentence ``sentences[c]`` (never falling), by default sentence c: an n-best
        list is scored as it stands.
        """

    @abstractmethod
    def score(self, summed: Statistics) -> float:
        """The score from one row or the sum of several, on the scale on which it is reported."""

    def scores(self, rows: Statistics) -> FloatArray:
        """The score of each row of a matrix."""
        return np.array([self.score(row) for row in rows], dtype=np.float64)
