"""How long a translation should be, learned from parallel text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["LengthModel"]

_EDGES = (4, 8, 12, 16, 24, 32, 48)
_FEWEST = 30  # pairs below which a bin is not trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthModel(FeatureFunction):
    """Log probability of a candidate's length: the log ratio of lengths is normal, by length of the source.

    Unlike a weight for every word, it says that long translations of short sentences are as bad as short ones
    of long sentences.
    """

    name: ClassVar[str] = "length-model"
    needs_source: ClassVar[bool] = True

    path: str
    """Tokenized source side of parallel text."""
    target: str
    """Its tokenized target side."""
    label: str = "LengthModel"

    def resources(self) -> dict[str, str]:
        """Both sides."""
        return {"path": self.path, "target": self.target}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Every word counts, and one is added to both lengths."""
        assert context.source is not None
        means, deviations = _fitted(self.path, self.target)
        source = np.array([len(words) for words in context.source])[context.store.sentence_of_row()]
        ratios = np.log(context.lengths() + 1) - np.log(source + 1)
        place = np.searchsorted(_EDGES, source)
        return np.asarray(
            -0.5 * ((ratios - means[place]) / deviations[place]) ** 2 - np.log(deviations[place])
        )


def _fitted(path: str, target: str) -> tuple[FloatArray, FloatArray]:
    lengths = [[len(line.split()) for line in read_lines(name)] for name in (path, target)]
    if len(lengths[0]) != len(lengths[1]):
        raise DataFormatError(
            f"{len(lengths[1]):,} lines found, but {path} has {len(lengths[0]):,}",
            target,
            hint="give both sides of one parallel text",
        )
    source, other = np.array(lengths)
    there = (source > 0) & (other > 0)
    source, other = source[there], other[there]
    if not len(source):
        raise DataFormatError("no sentence pairs", path, hint="give both sides of a parallel text")
    ratios, place = np.log(other + 1) - np.log(source + 1), np.searchsorted(_EDGES, source)
    means = np.full(len(_EDGES) + 1, ratios.mean())
    deviations = np.full(len(_EDGES) + 1, max(float(ratios.std()), 0.05))
    for one in range(len(means)):
        own = ratios[place == one]
        if len(own) >= _FEWEST:
            means[one], deviations[one] = own.mean(), max(float(own.std()), 0.05)
    return means, deviations
