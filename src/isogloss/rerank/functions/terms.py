"""Terminology that a candidate follows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.corpus.term_lists import read_terms
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Terminology"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminology(FeatureFunction):
    """Minus the number of terms of the source without any of their translations in the candidate."""

    name: ClassVar[str] = "terms"
    needs_source: ClassVar[bool] = True

    path: str
    """Terminology: term TAB translation, CSV or TBX. A term may have several translations."""
    label: str = "TermsLost"

    def resources(self) -> dict[str, str]:
        """The list of terms."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Terms are compared as words, without case."""
        assert context.source is not None
        terms: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for one in read_terms(self.path):
            target = one.term if one.translation is None else one.translation
            terms[tuple(one.term.lower().split())].append(f" {target.lower()} ")
        longest = max(map(len, terms), default=0)
        found = np.zeros(context.store.num_candidates)
        texts: list[str] | None = None
        for sentence, words in enumerate(context.source):
            lowered = [word.lower() for word in words]
            wanted = [
                terms[term]
                for i in range(len(lowered))
                for size in range(1, longest + 1)
                if (term := tuple(lowered[i : i + size])) in terms and i + size <= len(lowered)
            ]
            if not wanted:
                continue
            texts = texts or [f" {text.lower()} " for text in context.store.texts()]
            for row in context.store.rows_of(sentence):
                found[row] = -float(sum(all(way not in texts[row] for way in ways) for ways in wanted))
        return found
