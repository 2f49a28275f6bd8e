"""The interface of metrics, for significance tests, tuners and rerankers."""

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
    """A metric whose document score is a function of summed sentence statistics.

    Because only the sums matter, a sentence can be replaced or a document resampled without reading the text
    again. ``Metric.named`` returns the built-in metrics; for your own, write a class with ``name`` and the
    methods below.

    >>> metric = Metric.named("bleu")
    >>> references = References([["the cat sat on the mat"]])
    >>> rows = metric.statistics(["the cat sat on the mat"], references)
    >>> round(metric.score(rows.sum(axis=0)), 2)
    100.0
    """

    name: str
    """The name to print."""
    higher_is_better: bool = True

    @staticmethod
    def named(
        name: str, *, tokenize: str = "none", lowercase: bool = False, progress: Track | None = None
    ) -> Metric:
        """A built-in metric: bleu, nist, chrf or ter.

        ``tokenize`` is sacreBLEU's tokenizer for BLEU and NIST; ``none`` is for tokenized text. TER always
        ignores case. ``progress`` shows progress over the sentences.
        """
        from isogloss.metric.named import metric_named

        return metric_named(name, tokenize=tokenize, lowercase=lowercase, progress=progress)

    @abstractmethod
    def signature(self, references: References) -> str:
        """Everything needed to reproduce the score, in one line."""

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> Statistics:
        """One row per hypothesis; rows can be summed.

        Hypothesis c translates sentence ``sentences[c]``, in non-decreasing order; by default sentence c.
        This scores an n-best list directly.
        """

    @abstractmethod
    def score(self, summed: Statistics) -> float:
        """The score of one row or of a sum of rows, on the metric's usual scale."""

    def scores(self, rows: Statistics) -> FloatArray:
        """The score of each row of a matrix."""
        return np.array([self.score(row) for row in rows], dtype=np.float64)
