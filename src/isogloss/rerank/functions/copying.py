"""Words that were copied from the source instead of translated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Copying"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copying(FeatureFunction):
    """Minus the number of words of a candidate that are also in its source, and the longest row of them."""

    name: ClassVar[str] = "copying"
    needs_source: ClassVar[bool] = True

    label: str = "Copied"

    def columns(self) -> tuple[str, ...]:
        """Words, longest row."""
        return self.label, f"{self.label}Row"

    def compute(self, context: FeatureContext) -> FloatArray:
        """Numbers and punctuation are the same in both languages and do not count."""
        assert context.source is not None
        store, words = context.store, context.store.words.words()
        found = np.zeros((store.num_candidates, 2))
        for sentence, source in enumerate(context.source):
            there = {word.lower() for word in source if any(letter.isalpha() for letter in word)}
            for row in store.rows_of(sentence):
                copied = longest = run = 0
                for number in store.tokens.row(row).tolist():
                    run = run + 1 if words[number].lower() in there else 0
                    copied += run > 0
                    longest = max(longest, run)
                found[row] = -copied, -longest
        return found
