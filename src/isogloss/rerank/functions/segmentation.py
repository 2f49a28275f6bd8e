"""The segmentation of a candidate into phrases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Ragged
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["PhraseSegmentation", "phrases_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseSegmentation(FeatureFunction):
    """Minus the number of phrases per covered source word: long phrases are more reliable."""

    name: ClassVar[str] = "segmentation"

    label: str = "Segmentation"

    def compute(self, context: FeatureContext) -> FloatArray:
        """A candidate without phrases has -1, as if every word were a phrase."""
        phrases = phrases_of(context, self.name)
        counts = np.diff(phrases.offsets).astype(np.float64)
        spans = phrases.values[:, 1].astype(np.int64) - phrases.values[:, 0] + 1
        summed = np.concatenate([[0], np.cumsum(spans)])
        covered = summed[phrases.offsets[1:]] - summed[phrases.offsets[:-1]]
        return np.where(covered > 0, -counts / np.maximum(covered, 1), -1.0)


def phrases_of(context: FeatureContext, name: str) -> Ragged:
    """The phrases of every candidate: first and last source word, first and last target word."""
    phrases = context.store.segmentation
    if phrases is None:
        raise ConfigError(
            f"the feature '{name}' needs the segmentation of every candidate, and the list has none; "
            "Moses writes it with -n-best-list FILE N -print-alignment-info"
        )
    return phrases
