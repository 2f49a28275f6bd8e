"""What must come through a translation unchanged: numbers, placeholders, names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.corpus.placeholders import Protector
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Preserved"]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preserved(FeatureFunction):
    """Minus the numbers, placeholders and names of the source that a candidate lacks, and those it adds."""

    name: ClassVar[str] = "preserved"
    needs_source: ClassVar[bool] = True

    label: str = "Lost"

    def columns(self) -> tuple[str, ...]:
        """Numbers, placeholders, names that are missing, and numbers and placeholders that are too many."""
        return tuple(f"{self.label}{kind}" for kind in ("Numbers", "Placeholders", "Names", "Added"))

    def compute(self, context: FeatureContext) -> FloatArray:
        """Thousands and decimals may be separated otherwise: numbers are compared by their digits."""
        store, texts, sources = context.store, context.candidate_texts(), context.source_texts()
        assert sources is not None
        protector = Protector()

        def placeholders(text: str) -> Counter[str]:
            return Counter(protector.found(text))

        found = np.zeros((store.num_candidates, 4))
        for sentence, source in enumerate(sources):
            rows = store.rows_of(sentence)
            numbers, marks, names = _numbers(source), placeholders(source), _names(source)
            own = [texts[row] for row in rows]
            # Most sentences have none of these: then only what candidates add can differ.
            columns = (_lost(numbers, own, _numbers), _lost(marks, own, placeholders))
            for column, (missing, added) in enumerate(columns):
                found[rows.start : rows.stop, column] = -missing
                found[rows.start : rows.stop, 3] -= added
            for row, text in zip(rows, own, strict=True):
                words = set(text.split()) if names else set()
                found[row, 2] = -float(sum(name not in words for name in names))
        return found


def _lost(
    wanted: Counter[str], texts: Sequence[str], parts: Callable[[str], Counter[str]]
) -> tuple[FloatArray, FloatArray]:
    """How many are missing and how many are too many in each text."""
    missing, added = np.zeros(len(texts)), np.zeros(len(texts))
    for place, text in enumerate(texts):
        there = parts(text)
        missing[place] = (wanted - there).total()
        added[place] = (there - wanted).total()
    return missing, added


def _numbers(text: str) -> Counter[str]:
    return Counter(re.sub(r"\D", "", number) for number in _NUMBER.findall(text))


def _names(text: str) -> set[str]:
    """Words with a capital or a digit inside, which most languages keep.

    In German every noun has a capital, so a capital at the beginning is no sign of a name.
    """
    words = text.split()
    return {word for word in words if re.search(r"\w[A-Z]|\d[A-Za-z]|[A-Za-z]\d", word)}
