"""A number per candidate from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.metric.interface import FloatArray
from isogloss.nbest.columns import read_column
from isogloss.rerank.features import FeatureFunction, Material

__all__ = ["Column"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(FeatureFunction):
    """What somebody else computed: a quality estimate, a recogniser's confidence, another system's score."""

    name: ClassVar[str] = "column"

    path: str
    """A file with a number on every line, in the order of the list."""
    label: str = "Column"

    def compute(self, material: Material) -> FloatArray:
        """The file belongs to the list: to apply the model to another list, another file must be given."""
        return read_column(self.path, material.store, material.store.path or "the list")
