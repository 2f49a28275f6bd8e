"""A language model over word classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.classes import WordClasses
from isogloss.lm import natural_scores
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["ClassLanguageModel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLanguageModel(FeatureFunction):
    """Natural log probability of the candidate's sequence of word classes.

    The language model is trained on text in which every word is replaced by its class number.
    """

    name: ClassVar[str] = "class-lm"

    path: str
    """An ARPA file or a stored model."""
    classes: str
    """A file of word classes, as written by ``isogloss classes``."""
    label: str = "ClassLM"

    def resources(self) -> dict[str, str]:
        """Model and classes."""
        return {"path": self.path, "classes": self.classes}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Unknown words have a class too, so unknown classes are not counted."""
        classes = WordClasses.load(self.classes)
        numbers = [str(number) for number in classes.classify(context.store.words.words())]
        tokens = context.store.tokens
        lines = [
            " ".join([numbers[word] for word in tokens.row(row).tolist()])
            for row in range(context.store.num_candidates)
        ]
        return natural_scores(self.path, lines, context.threads)[:, 0]
