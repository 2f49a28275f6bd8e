"""Words that most candidates agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss import _engine
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["WordPopularity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPopularity(FeatureFunction):
    """The mean, over the candidate's words, of the share of candidates that contain the word."""

    name: ClassVar[str] = "popularity"

    label: str = "Popularity"

    def compute(self, context: FeatureContext) -> FloatArray:
        """All candidates of a sentence have the same weight."""
        sizes = np.diff(context.offsets)
        return _engine.ngram_posteriors(
            np.ascontiguousarray(context.store.tokens.values),
            np.ascontiguousarray(context.store.tokens.offsets),
            np.ascontiguousarray(context.offsets),
            np.repeat(1 / sizes, sizes),
            order=1,
            threads=context.threads,
        )
