"""Repeated words and phrases: what neural systems do when they lose their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Repetition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition(FeatureFunction):
    """Minus the repetitions of a candidate: words twice in a row, and words of phrases that occur again."""

    name: ClassVar[str] = "repetition"

    order: int = 3
    """Words in the phrases that count as repeated."""
    label: str = "Repeated"

    def columns(self) -> tuple[str, ...]:
        """Of words in a row, of phrases, of the longest run."""
        return tuple(f"{self.label}{kind}" for kind in ("Words", "Phrases", "Run"))

    def compute(self, context: FeatureContext) -> FloatArray:
        """Without the repetitions of the source, if there is one: they are right."""
        tokens, order = context.store.tokens, self.order
        own = np.array(
            [_repetitions(tokens.row(row).tolist(), order) for row in range(context.store.num_candidates)],
            dtype=np.float64,
        ).reshape(-1, 3)
        if context.source is None:
            return -own
        there = np.array([_repetitions(words, order) for words in context.source], dtype=np.float64)
        return -np.maximum(own - there.reshape(-1, 3)[context.store.sentence_of_row()], 0)


def _repetitions(words: Sequence[object], order: int) -> tuple[int, int, int]:
    in_row = sum(a == b for a, b in pairwise(words))
    phrases = Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))
    longest = run = 0
    for distance in (1, 2, 3):
        run = 0
        for i in range(distance, len(words)):
            run = run + 1 if words[i] == words[i - distance] else 0
            longest = max(longest, run)
    return in_row, sum(phrases.values()) - len(phrases), longest
