"""Scaling of dense features; the scale is stored with a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.learn.online_reranker import deviations
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64

__all__ = ["Scaling"]


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """A mean and a standard deviation for every column.

    The deviation is within sentences, because values shared by all candidates of a sentence do not matter to
    a reranker. A column that is constant within every sentence has deviation 0 and becomes 0.
    """

    means: FloatArray
    deviations: FloatArray

    @classmethod
    def fit(cls, dense: FloatArray, offsets: Int64) -> Scaling:
        """Measure the scale of the columns of a list."""
        means = dense.mean(axis=0) if len(dense) else np.zeros(dense.shape[1])
        return cls(means, deviations(dense, offsets))

    @classmethod
    def none(cls, columns: int) -> Scaling:
        """The identity scale."""
        return cls(np.zeros(columns), np.ones(columns))

    def __call__(self, dense: FloatArray) -> FloatArray:
        """Scale the columns."""
        divisors = np.where(self.deviations > 0, self.deviations, np.inf)
        return np.ascontiguousarray((dense - self.means) / divisors)

    def constant(self) -> Int64:
        """Columns that are constant within every sentence."""
        return np.flatnonzero(self.deviations == 0)
