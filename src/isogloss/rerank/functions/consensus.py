"""Consensus n-grams of the probable candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.learn.mbr import sample_shares
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Consensus", "list_posterior"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus(FeatureFunction):
    """For each n, the mean posterior probability of the candidate's n-grams.

    P(candidate) ∝ exp(scale · by) within the list.
    """

    name: ClassVar[str] = "consensus"

    by: str | None = None
    """Dense column of the list, or ``score`` for the decoder's total, which is the default."""
    scale: float = 1.0
    """Scale of the column; 0 makes all samples equally likely: candidates, or as often as ``Count`` says."""
    order: int = 4
    """Length of the longest n-grams, in words, at most 8."""
    label: str = "Consensus"

    def columns(self) -> tuple[str, ...]:
        """One column for each n."""
        return tuple(f"{self.label}{n}" for n in range(1, self.order + 1))

    def compute(self, context: FeatureContext) -> FloatArray:
        """Takes about as long as reading the list."""
        if not 1 <= self.order <= 8:
            raise ConfigError(f"order of the feature 'consensus' must be between 1 and 8, got {self.order}")
        return _engine.ngram_posteriors(
            np.ascontiguousarray(context.store.tokens.values),
            np.ascontiguousarray(context.store.tokens.offsets),
            np.ascontiguousarray(context.offsets),
            list_posterior(context, self.by, self.scale),
            order=self.order,
            threads=context.threads,
        )


def list_posterior(context: FeatureContext, by: str | None, scale: float) -> FloatArray:
    """The probability of each candidate within its sentence, by a column or the decoder's score."""
    store = context.store
    if by not in (None, "score", *store.dense_names):
        raise ConfigError(f"the list has no column '{by}'; it has: {', '.join(store.dense_names) or 'none'}")
    if by in store.dense_names:
        return sample_shares(store, scale, store.dense[:, store.dense_names.index(str(by))])
    if scale and np.any(np.isnan(store.scores)):
        raise ConfigError(
            "the list has candidates without a score; use scale=0 to give all samples the same weight, or "
            "name a column with by=COLUMN"
        )
    return sample_shares(store, scale, store.scores)
