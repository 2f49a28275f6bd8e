"""A column of the list with a weight of its own for easy and for hard sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["Cross"]

_KINDS = ("source-length", "difficulty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cross(FeatureFunction):
    """A column in sentences of one bin, 0 in others: what a score is worth may depend on the source.

    Bins go by the number of source words, or by how difficult the sentence is for the system: the standard
    deviation of its scores within the list.
    """

    name: ClassVar[str] = "cross"

    column: str
    """A dense column of the list, or ``score``."""
    by: str = "source-length"
    """What the bins go by: source-length or difficulty."""
    edges: str = "8+16"
    """Upper edges of the bins, all but the last: source words, or standard deviations."""
    label: str | None = None  # type: ignore[assignment]  # the column's name

    def columns(self) -> tuple[str, ...]:
        """One for each bin but the first: the column itself is there already."""
        count = len(self.edges.split("+"))
        return tuple(
            f"{self.label or self.column}By{'Length' if self.by == _KINDS[0] else 'Spread'}{i + 1}"
            for i in range(count)
        )

    def compute(self, context: FeatureContext) -> FloatArray:
        """Values minus the first of the sentence, so that bins differ by their weight alone."""
        store = context.store
        if self.by not in _KINDS:
            raise ConfigError(f"'{self.written()}': by must be one of {', '.join(_KINDS)}, got '{self.by}'")
        try:
            edges = [float(edge) for edge in self.edges.split("+")]
        except ValueError:
            raise ConfigError(
                f"'{self.written()}': edges are numbers with + between, got '{self.edges}'"
            ) from None
        values = _values(self, context)
        if self.by == "source-length":
            if context.source is None:
                raise ConfigError(
                    f"the feature '{self.written()}' needs the source text: give source= (--source)"
                )
            measure = np.array([len(words) for words in context.source], dtype=np.float64)
        else:
            measure = np.array(
                [float(values[list(store.rows_of(i))].std()) for i in range(store.num_sentences)]
            )
        place = np.searchsorted(edges, measure)[store.sentence_of_row()]
        relative = values - np.repeat(values[store.sentence_offsets[:-1]], np.diff(store.sentence_offsets))
        return np.stack([np.where(place == i + 1, relative, 0.0) for i in range(len(edges))], axis=1)


def _values(function: Cross, context: FeatureContext) -> FloatArray:
    store = context.store
    if function.column == "score":
        values = store.scores
        if np.any(np.isnan(values)):
            raise ConfigError(f"the feature '{function.written()}' needs the score of every candidate")
        return values
    if function.column not in store.dense_names:
        raise ConfigError(
            f"the feature '{function.written()}' needs the column '{function.column}'; the list has "
            f"{', '.join(store.dense_names) or 'none'}"
        )
    return np.asarray(store.dense[:, store.dense_names.index(function.column)])
