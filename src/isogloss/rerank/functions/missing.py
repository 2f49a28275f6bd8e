"""Source words that a candidate leaves untranslated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.align import AlignmentModel
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.lexical import lexical_sentences

__all__ = ["MissingWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingWords(FeatureFunction):
    """Minus the number of source words without any likely translation in the candidate.

    A word that is most likely unaligned (an article, a particle) does not count.
    """

    name: ClassVar[str] = "missing"
    needs_source: ClassVar[bool] = True

    path: str
    """A stored alignment model."""
    threshold: float = 0.1
    """Minimum p(candidate word | source word) of a likely translation."""
    label: str = "Missing"

    def resources(self) -> dict[str, str]:
        """The alignment model."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Words without any likely translation in the model are not counted."""
        model = AlignmentModel.load(self.path)
        counted = _content_words(model, self.threshold)
        parts = []
        assert context.source is not None
        encoder = model.encoder
        for words, at in zip(context.source, lexical_sentences(model, context), strict=True):
            numbers = [encoder.source.find(word.lower() if encoder.lowercase else word) for word in words]
            wanted = np.array([n < len(counted) and bool(counted[n]) for n in numbers], dtype=bool)
            likely = (at.forward[wanted] > self.threshold).astype(np.int64)
            summed = np.concatenate([np.zeros((len(likely), 1), np.int64), np.cumsum(likely, axis=1)], axis=1)
            there = summed[:, at.starts[1:]] - summed[:, at.starts[:-1]]
            parts.append(-(there == 0).sum(axis=0).astype(np.float64))
        return np.concatenate(parts)


def _content_words(model: AlignmentModel, threshold: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Source words that have a likely translation and are not most likely unaligned."""
    offsets = model.row_offsets.astype(np.int64)
    sizes = np.diff(offsets)
    best = np.zeros((len(sizes), 2))
    there = np.flatnonzero(sizes)
    if len(there):
        best[there] = np.maximum.reduceat(np.asarray(model.probabilities), offsets[:-1][there], axis=0)
    return np.asarray((best[:, 0] > threshold) & (best[:, 1] > model.source_null))
