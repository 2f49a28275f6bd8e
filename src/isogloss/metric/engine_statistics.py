"""Statistics of chrF and TER from the engine: the numbers of sacreBLEU, many times faster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss import _engine
from isogloss._engine import Vocabulary
from isogloss.metric.interface import Statistics
from isogloss.metric.references import References

__all__ = ["ChrfStatistics", "EngineStatistics", "TerStatistics"]

Ids = NDArray[np.uint32]
Offsets = NDArray[np.int64]


class EngineStatistics(ABC):
    """One row per hypothesis, from lines or from words by id. Encoded references are cached."""

    def __init__(self) -> None:
        self._known: tuple[References, tuple[Ids, Offsets, Offsets]] | None = None

    def of_lines(
        self, hypotheses: Sequence[str], references: References, owner: Offsets, *, threads: int = 1
    ) -> Statistics:
        """Statistics of lines; ``owner`` is the sentence of each, in ascending order."""
        encoded = self._encoded(references)
        ids, offsets = self._encode(hypotheses, False)
        return self._rows((ids, offsets, _bounds(owner, len(references))), encoded, threads)

    def of_words(
        self,
        words: Sequence[str],
        ids: Ids,
        offsets: Offsets,
        references: References,
        owner: Offsets,
        *,
        threads: int = 1,
    ) -> Statistics:
        """The same for hypotheses whose words are numbers in ``words``."""
        encoded = self._encoded(references)
        values, bounds = self._encode(words, False)
        pieces, within = _gathered(values, bounds, ids)
        return self._rows((pieces, within[offsets], _bounds(owner, len(references))), encoded, threads)

    def _encoded(self, references: References) -> tuple[Ids, Offsets, Offsets]:
        if self._known is None or self._known[0] is not references:
            groups = [references.of(sentence) for sentence in range(len(references))]
            ids, offsets = self._encode([line for group in groups for line in group], True)
            self._known = references, (ids, offsets, np.cumsum([0, *map(len, groups)], dtype=np.int64))
        return self._known[1]

    @abstractmethod
    def _encode(self, lines: Sequence[str], grow: bool) -> tuple[Ids, Offsets]:
        """Ids and offsets of lines; ``grow`` for references."""

    @abstractmethod
    def _rows(
        self, hypotheses: tuple[Ids, Offsets, Offsets], references: tuple[Ids, Offsets, Offsets], threads: int
    ) -> Statistics:
        """The engine's rows."""


class ChrfStatistics(EngineStatistics):
    """Character n-grams of the hypothesis, of the reference, and in both, for each order up to 6.

    >>> rows = ChrfStatistics().of_lines(["ab c"], References([["abd"]]), np.zeros(1, np.int64))
    >>> rows[0, :6].tolist()
    [3, 3, 2, 2, 2, 1]
    """

    def __init__(self, *, lowercase: bool = False) -> None:
        super().__init__()
        self._lowercase = lowercase

    def _encode(self, lines: Sequence[str], grow: bool) -> tuple[Ids, Offsets]:
        if self._lowercase:
            lines = [line.lower() for line in lines]
        joined = ["".join(line.split()) for line in lines]
        ids = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), np.uint32)
        return ids, np.cumsum([0, *map(len, joined)], dtype=np.int64)

    def _rows(
        self, hypotheses: tuple[Ids, Offsets, Offsets], references: tuple[Ids, Offsets, Offsets], threads: int
    ) -> Statistics:
        return _engine.chrf_statistics(*hypotheses, *references, threads=threads)


class TerStatistics(EngineStatistics):
    """Edits and reference length.

    >>> TerStatistics().of_lines(["b a c"], References([["a B c d"]]), np.zeros(1, np.int64)).tolist()
    [[2.0, 4.0]]
    """

    def __init__(self) -> None:
        super().__init__()
        self._vocabulary = Vocabulary()

    def _encode(self, lines: Sequence[str], grow: bool) -> tuple[Ids, Offsets]:
        if grow:
            self._vocabulary = Vocabulary()
        return self._vocabulary.encode((line.lower().split() for line in lines), grow=grow)

    def _rows(
        self, hypotheses: tuple[Ids, Offsets, Offsets], references: tuple[Ids, Offsets, Offsets], threads: int
    ) -> Statistics:
        return _engine.ter_statistics(*hypotheses, *references, threads=threads)


def _bounds(owner: Offsets, sentences: int) -> Offsets:
    return np.searchsorted(owner, np.arange(sentences + 1)).astype(np.int64)


def _gathered(values: Ids, bounds: Offsets, ids: Ids) -> tuple[Ids, Offsets]:
    """The pieces of every word one after the other, and where each word begins."""
    lengths = np.diff(bounds)[ids]
    within = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(within[-1]) - np.repeat(within[:-1] - bounds[:-1][ids], lengths)
    return values[places], within
