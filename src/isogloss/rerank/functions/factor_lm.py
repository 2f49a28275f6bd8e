"""A language model over given tags: parts of speech, supertags, any factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.lm import natural_scores
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.tags import read_tags

__all__ = ["FactorLanguageModel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorLanguageModel(FeatureFunction):
    """Natural log probability of the candidate's tags."""

    name: ClassVar[str] = "factor-lm"

    path: str
    """An ARPA file or a stored model of tag sequences."""
    tags: str
    """A file with a line of tags for every candidate of the list, one tag per word."""
    label: str = "FactorLM"

    def resources(self) -> dict[str, str]:
        """The model; the tags belong to the list."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Unknown tags are scored as the unknown word."""
        lines = [" ".join(tags) for tags in read_tags(self.tags, context)]
        return natural_scores(self.path, lines, context.threads)[:, 0]
