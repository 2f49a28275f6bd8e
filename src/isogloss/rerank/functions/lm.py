"""The score of an n-gram language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.lm import LanguageModel
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureFunction, Material

__all__ = ["LanguageModelScore", "natural_scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModelScore(FeatureFunction):
    """Natural logarithm of the probability of the candidate's words, and how many of them are unknown."""

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

    def compute(self, material: Material) -> FloatArray:
        """The beginning and the end of the sentence are scored too."""
        return natural_scores(self.path, list(material.store.texts()), material.threads)


def natural_scores(path: str, lines: list[str], threads: int) -> FloatArray:
    """Two columns: log probability and unknown words. Unknown words are not part of the probability where the
    model never saw one, or its -100 would drown everything else."""
    model = LanguageModel.load(path)
    scores = model.all_scores(lines, threads=threads)
    log10 = scores.log10 if model.has_unknown else scores.log10 - scores.unknown_log10
    return np.stack([log10 * np.log(10), -scores.unknown.astype(np.float64)], axis=1)
