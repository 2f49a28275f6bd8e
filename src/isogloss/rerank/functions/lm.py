"""The score of an n-gram language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.lm import natural_scores
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["LanguageModelScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModelScore(FeatureFunction):
    """Natural log probability of the candidate, and its number of unknown words."""

    name: ClassVar[str] = "lm"

    path: str
    """An ARPA file or a stored model."""
    label: str = "LM"

    def columns(self) -> tuple[str, ...]:
        """Score, unknown words."""
        return self.label, f"{self.label}Unknown"

    def resources(self) -> dict[str, str]:
        """The model."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """The beginning and the end of the sentence are scored too."""
        return natural_scores(self.path, list(context.store.texts()), context.threads)
