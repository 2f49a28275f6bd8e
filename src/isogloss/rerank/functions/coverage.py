"""How well the words of source and candidate cover each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.align import AlignmentModel
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.lexical import lexical_sentences

__all__ = ["Coverage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(FeatureFunction):
    """Log of the best link of every source word and of every candidate word, summed.

    A dropped phrase costs as much as its words are translatable; a repeated one gains nothing, because only
    the best link of a word counts. An invented phrase costs on the other side.
    """

    name: ClassVar[str] = "coverage"
    needs_source: ClassVar[bool] = True

    path: str
    """A stored alignment model."""
    floor: float = 0.001
    """Smallest probability of a link: what a word without any translation costs."""
    label: str = "Coverage"

    def columns(self) -> tuple[str, ...]:
        """Of the source, of the candidate."""
        return f"{self.label}Source", f"{self.label}Target"

    def resources(self) -> dict[str, str]:
        """The alignment model."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """A word that is most likely unaligned costs no more than that."""
        parts = []
        for at in lexical_sentences(AlignmentModel.load(self.path), context):
            starts = at.starts
            backward = np.maximum(np.concatenate([at.backward, np.zeros((len(at.backward), 1))], axis=1), 0)
            best = np.zeros((len(backward), len(starts) - 1))
            there = np.flatnonzero(np.diff(starts))
            if len(there) and len(backward):
                best[:, there] = np.maximum.reduceat(backward, starts[:-1][there], axis=1)[:, : len(there)]
            source = np.maximum(np.maximum(best, at.null_backward[:, np.newaxis]), self.floor)
            own = np.maximum(at.forward.max(axis=0, initial=0.0), at.null_forward)
            summed = np.concatenate([[0.0], np.cumsum(np.log(np.maximum(own, self.floor)))])
            parts.append(
                np.stack([np.log(source).sum(axis=0), summed[starts[1:]] - summed[starts[:-1]]], axis=1)
            )
        return np.concatenate(parts)
