"""Dense features brought to one scale, which is stored with a model and used again when it is applied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isogloss.learn.online_reranker import deviations
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64

__all__ = ["Scaling"]


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """A mean and a deviation for every column.

    The deviation is that from the mean of the sentence: what all candidates of a sentence share does not
    matter to a reranker. A column that never tells candidates apart has the deviation 0 and becomes 0.
    """

    means: FloatArray
    deviations: FloatArray

    @classmethod
    def fit(cls, dense: FloatArray, offsets: Int64) -> Scaling:
        """The scale of a list's columns."""
        means = dense.mean(axis=0) if len(dense) else np.zeros(dense.shape[1])
        return cls(means, deviations(dense, offsets))

    @classmethod
    def none(cls, columns: int) -> Scaling:
        """Leaves everything as it is."""
        return cls(np.zeros(columns), np.ones(columns))

    def __call__(self, dense: FloatArray) -> FloatArray:
        """The columns on that scale."""
        divisors = np.where(self.deviations > 0, self.deviations, np.inf)
        return np.ascontiguousarray((dense - self.means) / divisors)

    def constant(self) -> Int64:
        """Columns that never tell candidates apart."""
        return np.flatnonzero(self.deviations == 0)
