"""Similarity to the translations of similar sentences: a translation memory as a feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["MemorySimilarity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySimilarity(FeatureFunction):
    """How much a candidate has in common with the translations of the most similar source sentences.

    Similarity of sources is the cosine of their words, weighted by rarity; what a candidate shares with a
    translation is the F-score of words and of bigrams, times that similarity.
    """

    name: ClassVar[str] = "memory"
    needs_source: ClassVar[bool] = True

    path: str
    """Tokenized source side of the memory."""
    target: str
    """Its tokenized target side."""
    matches: int = 5
    """How many similar sentences count."""
    label: str = "Memory"

    def columns(self) -> tuple[str, ...]:
        """The best of the matches for words and bigrams, then their mean."""
        return f"{self.label}Words", f"{self.label}Bigrams", f"{self.label}Mean"

    def resources(self) -> dict[str, str]:
        """Both sides."""
        return {"path": self.path, "target": self.target}

    def compute(self, context: FeatureContext) -> FloatArray:
        """An identical source is left out in training: else the memory would be trusted too much."""
        assert context.source is not None
        sides = [[line.split() for line in read_lines(name)] for name in (self.path, self.target)]
        if len(sides[0]) != len(sides[1]):
            raise DataFormatError(
                f"{len(sides[1]):,} lines found, but {self.path} has {len(sides[0]):,}",
                self.target,
                hint="give both sides of one memory",
            )
        memory, queries = _weighted(sides[0], [list(words) for words in context.source])
        store, words = context.store, context.store.words.words()
        found = np.zeros((store.num_candidates, 3))
        for sentence in range(store.num_sentences):
            similar = (memory @ queries[sentence].T).toarray().ravel()
            places = np.argsort(-similar, kind="stable")[: self.matches + 1]
            if context.training:
                places = np.array(
                    [at for at in places.tolist() if sides[0][at] != list(context.source[sentence])],
                    dtype=np.int64,
                )
            places = places[: self.matches]
            targets = [
                (similar[at], _ngrams(sides[1][at], 1), _ngrams(sides[1][at], 2)) for at in places.tolist()
            ]
            for row in store.rows_of(sentence):
                own = [words[number] for number in store.tokens.row(row).tolist()]
                mine = _ngrams(own, 1), _ngrams(own, 2)
                shared = [(share * _f(mine[0], one), share * _f(mine[1], two)) for share, one, two in targets]
                if shared:
                    best = np.max(shared, axis=0)
                    found[row] = best[0], best[1], float(np.mean(shared))
        return found


def _weighted(
    memory: Sequence[Sequence[str]], queries: Sequence[Sequence[str]]
) -> tuple[csr_matrix, csr_matrix]:
    """Rows of unit length, words weighted by the log of how rare they are."""
    counts = Counter(word for line in memory for word in set(line))
    numbers = {word: number for number, word in enumerate(counts)}
    rarity = np.log((1 + len(memory)) / np.array([1 + count for count in counts.values()], dtype=float))

    def matrix(lines: Sequence[Sequence[str]]) -> csr_matrix:
        rows = [[numbers[word] for word in dict.fromkeys(line) if word in numbers] for line in lines]
        offsets = np.cumsum([0, *map(len, rows)])
        columns = np.array([number for row in rows for number in row], dtype=np.int64)
        values = rarity[columns] if len(columns) else np.zeros(0)
        squares = np.concatenate([[0.0], np.cumsum(values**2)])
        norms = np.sqrt(np.maximum(squares[offsets[1:]] - squares[offsets[:-1]], 1e-12))
        return csr_matrix(
            (values / np.repeat(norms, np.diff(offsets)), columns, offsets), (len(rows), len(numbers))
        )

    return matrix(memory), matrix(queries)


def _ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def _f(mine: Counter[tuple[str, ...]], theirs: Counter[tuple[str, ...]]) -> float:
    return 2 * (mine & theirs).total() / max(mine.total() + theirs.total(), 1)
