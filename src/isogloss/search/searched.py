"""Translations whose search is kept: sparse features are made for the candidates that somebody asks about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.nbest.store import NbestStore

__all__ = ["FeatureRows", "Searched"]

UInt64 = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """Sparse rows: row i has ``features[offsets[i]:offsets[i + 1]]`` by rising number, with ``counts``."""

    offsets: npt.NDArray[np.int64]
    features: UInt64
    counts: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, rows: int = 0) -> FeatureRows:
        """Rows without any feature."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.float32))

    @classmethod
    def join(cls, parts: Sequence[FeatureRows]) -> FeatureRows:
        """All rows of several, one after another."""
        lengths = [np.diff(part.offsets) for part in parts]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])
        return cls(
            offsets,
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def row(self, index: int) -> FeatureRows:
        """One row, as a copy that keeps nothing else alive."""
        begin, end = self.offsets[index], self.offsets[index + 1]
        return FeatureRows(
            np.array([0, end - begin]), self.features[begin:end].copy(), self.counts[begin:end].copy()
        )

    def sums(self, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """For each row the weighted sum of its counts; ``weights`` stand beside ``features``."""
        products = np.concatenate([np.zeros(1), np.cumsum(weights.astype(np.float64) * self.counts)])
        found: npt.NDArray[np.float64] = products[self.offsets[1:]] - products[self.offsets[:-1]]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """An n-best list together with the searches it came from; sentence i of the input is sentence i here."""

    store: NbestStore
    engine: _engine.Searched

    def sparse(self, sentence: int, rows: Sequence[int]) -> FeatureRows:
        """Sparse features of some candidates of a sentence, numbered from 0 within it."""
        return FeatureRows(*self.engine.sparse(sentence, rows))

    def names(self, sentence: int, rows: Sequence[int], wanted: UInt64) -> dict[int, str]:
        """Names of those features of some candidates that are wanted."""
        return self.engine.names(sentence, rows, wanted)
