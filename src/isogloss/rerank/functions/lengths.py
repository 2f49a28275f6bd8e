"""The length of a candidate, absolute and relative to the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Lengths"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths(FeatureFunction):
    """Number of words, log ratio to the source length, and difference from the expected length."""

    name: ClassVar[str] = "lengths"
    needs_source: ClassVar[bool] = True

    ratio: float = 1.0
    """Expected number of words per source word."""
    label: str = "Length"

    def columns(self) -> tuple[str, ...]:
        """Words, ratio, difference."""
        return self.label, f"{self.label}Ratio", f"{self.label}Difference"

    def compute(self, context: FeatureContext) -> FloatArray:
        """An empty sentence counts as half a word, so that the ratio is defined."""
        assert context.source is not None
        source = np.array([len(words) for words in context.source], dtype=np.float64)
        there, here = source[context.store.sentence_of_row()], context.lengths()
        ratio = np.log(np.maximum(here, 0.5) / np.maximum(there, 0.5))
        return np.stack([here, ratio, -np.abs(here - self.ratio * there)], axis=1)
