"""A number per candidate from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.metric.interface import FloatArray
from isogloss.nbest.columns import read_column
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Column"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(FeatureFunction):
    """Numbers from other tools: a quality estimate, a recognizer's confidence, another system's score."""

    name: ClassVar[str] = "column"
    belongs_to_list: ClassVar[bool] = True

    path: str
    """A file with one number per line, in the order of the list."""
    label: str = "Column"

    def resources(self) -> dict[str, str]:
        """The file; with another list to rerank, a stored model asks for another one."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """The numbers of the file."""
        return read_column(self.path, context.store, context.store.path or "the list")
