"""Matched brackets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Brackets", "unmatched"]

_PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "（": "）", "「": "」", "『": "』", "【": "】"}
# Tokenizers write some of them as entities.
_ENTITIES = {"&#91;": "[", "&#93;": "]"}
_CLOSING = {close: opening for opening, close in _PAIRS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Brackets(FeatureFunction):
    """Minus the number of brackets without a partner."""

    name: ClassVar[str] = "brackets"

    label: str = "Brackets"

    def compute(self, context: FeatureContext) -> FloatArray:
        """Only candidates with a bracket are checked word by word."""
        words = [_ENTITIES.get(word, word) for word in context.store.words.words()]
        is_bracket = np.array([any(c in _PAIRS or c in _CLOSING for c in word) for word in words], dtype=bool)
        tokens = context.store.tokens
        counts = context.sums(is_bracket[tokens.values].astype(np.float64))
        found = np.zeros(context.store.num_candidates)
        for row in np.flatnonzero(counts).tolist():
            found[row] = -unmatched([words[word] for word in tokens.row(row).tolist()])
        return found


def unmatched(words: list[str]) -> int:
    """The number of unmatched brackets.

    >>> unmatched(["a", "(", "b", "[", ")", "c"])
    1
    """
    waiting: list[str] = []
    lost = 0
    for character in "".join(words):
        if character in _PAIRS:
            waiting.append(character)
        elif character in _CLOSING:
            opening = _CLOSING[character]
            if opening in waiting:
                at = len(waiting) - 1 - waiting[::-1].index(opening)
                lost += len(waiting) - 1 - at
                del waiting[at:]
            else:
                lost += 1
    return lost + len(waiting)
