"""Whether adjacent phrases are adjacent in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.segmentation import phrases_of

__all__ = ["RightContinuity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RightContinuity(FeatureFunction):
    """The share of adjacent phrase pairs in which the right phrase follows the left one in the source."""

    name: ClassVar[str] = "continuity"

    label: str = "RightContinuity"

    def compute(self, context: FeatureContext) -> FloatArray:
        """A candidate with one phrase counts as continuous."""
        phrases = phrases_of(context, self.name)
        found = np.ones(context.store.num_candidates)
        for row in np.flatnonzero(np.diff(phrases.offsets) > 1).tolist():
            spans = phrases.row(row)
            spans = spans[np.argsort(spans[:, 2], kind="stable")].astype(np.int64)
            found[row] = np.mean(spans[1:, 0] == spans[:-1, 1] + 1)
        return found
