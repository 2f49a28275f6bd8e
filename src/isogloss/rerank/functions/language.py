"""Whether a candidate is in the right language."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from isogloss.io.streams import read_lines
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["LanguageOdds"]

_MOST_LINES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageOdds(FeatureFunction):
    """Log odds of the target language against another, by character trigrams: the sum, and the worst word.

    Systems leave words untranslated or answer in the wrong language. Two texts say what the languages look
    like; the parallel text of training is the natural choice.
    """

    name: ClassVar[str] = "language"

    path: str
    """Text in the target language."""
    other: str
    """Text in the language that it is confused with, usually the source language."""
    label: str = "Language"

    def columns(self) -> tuple[str, ...]:
        """Mean over the words, worst word."""
        return self.label, f"{self.label}Worst"

    def resources(self) -> dict[str, str]:
        """Both texts."""
        return {"path": self.path, "other": self.other}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Words are judged by themselves, so every word of the list once."""
        right, wrong = _trigrams(self.path), _trigrams(self.other)
        bias = float(np.log((wrong.total() + 1) / (right.total() + 1)))
        odds = context.word_table(_odds(word, right, wrong, bias) for word in context.store.words.words())
        tokens, lengths = context.store.tokens, context.lengths()
        worst = np.zeros(context.store.num_candidates)
        there = np.flatnonzero(lengths)
        if len(there):
            worst[there] = np.minimum.reduceat(odds, tokens.offsets[:-1][there])
        return np.stack([context.sums(odds) / np.maximum(lengths, 1), np.minimum(worst, 0)], axis=1)


@lru_cache(maxsize=4)
def _trigrams(path: str) -> Counter[str]:
    words: Counter[str] = Counter()
    for number, line in enumerate(read_lines(path)):
        if number == _MOST_LINES:
            break
        words.update(line.lower().split())
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for trigram in _parts(word):
            counts[trigram] += count
    return counts


def _parts(word: str) -> list[str]:
    marked = f"^{word.lower()}$"
    return [marked[i : i + 3] for i in range(len(marked) - 2)]


def _odds(word: str, right: Counter[str], wrong: Counter[str], bias: float) -> float:
    """Mean log odds of the trigrams of a word, add-half smoothed; 0 for words without letters."""
    if not any(letter.isalpha() for letter in word):
        return 0.0
    values = [np.log((right[part] + 0.5) / (wrong[part] + 0.5)) for part in _parts(word)]
    return float(np.mean(values)) + bias
