"""Adjacent nouns in the wrong order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.alignments import aligned_pairs
from isogloss.rerank.functions.tags import read_tags

__all__ = ["WrongNounPosition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongNounPosition(FeatureFunction):
    """Minus the number of adjacent noun pairs whose source words are in the opposite order."""

    name: ClassVar[str] = "nouns"

    tags: str
    """A file with a line of tags for every candidate of the list, one tag per word."""
    noun: str = "N"
    """Prefix of the tags of nouns."""
    path: str | None = None
    """A stored alignment model, for lists without alignments."""
    label: str = "WrongNouns"

    def resources(self) -> dict[str, str]:
        """The alignment model, if there is one."""
        return {} if self.path is None else {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Nouns without links are ignored."""
        tags = read_tags(self.tags, context)
        links = aligned_pairs(context, self.path, self.name)
        found = np.zeros(context.store.num_candidates)
        for row, row_tags in enumerate(tags):
            is_noun = [tag.startswith(self.noun) for tag in row_tags]
            first: dict[int, int] = {}
            for source, target in links.row(row).tolist():
                first[target] = min(source, first.get(target, source))
            found[row] = -sum(
                is_noun[i] and is_noun[i + 1] and first.get(i, -1) > first.get(i + 1, 1 << 30)
                for i in range(len(is_noun) - 1)
            )
        return found
