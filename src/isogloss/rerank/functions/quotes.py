"""Matched quotation marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Quotes"]

_STRAIGHT = ('"', "&quot;", "``", "''")
_OPENING, _CLOSING = ("“", "„"), ("”",)  # “ closes in German: then the two cancel out


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes(FeatureFunction):
    """Minus the number of unpaired quotation marks: leftover straight marks, and the difference between
    opening and closing curly marks."""

    name: ClassVar[str] = "quotes"

    label: str = "Quotes"

    def compute(self, context: FeatureContext) -> FloatArray:
        """By counting; positions are ignored."""
        words = context.store.words.words()
        straight = context.word_table(sum(word.count(mark) for mark in _STRAIGHT) for word in words)
        curly = context.word_table(
            sum(word.count(mark) for mark in _OPENING) - sum(word.count(mark) for mark in _CLOSING)
            for word in words
        )
        return -(context.sums(straight) % 2) - np.abs(context.sums(curly))
