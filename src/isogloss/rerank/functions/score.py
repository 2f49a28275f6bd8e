"""The decoder's own score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["DecoderScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderScore(FeatureFunction):
    """The total score of the list, for decoders whose total includes more than the printed columns."""

    name: ClassVar[str] = "score"

    label: str = "Score"

    def compute(self, context: FeatureContext) -> FloatArray:
        """Every candidate must have a score."""
        missing = np.flatnonzero(np.isnan(context.store.scores))
        if len(missing):
            raise ConfigError(
                f"the feature 'score' needs the score of every candidate, and candidate {missing[0] + 1} "
                "of the list has none"
            )
        return context.store.scores
