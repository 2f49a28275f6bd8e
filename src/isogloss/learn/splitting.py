"""Splitting: separate the best candidates of every sentence from the worst (Shen et al. 2004, Algorithm
1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, Options
from isogloss.learn.online_reranker import OnlineLearner, Sweeper
from isogloss.metric.interface import FloatArray

__all__ = ["Splitting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting(OnlineLearner):
    """Every good candidate must score at least ``margin`` above every bad one of its sentence.

    A candidate is good if fewer than r are strictly better, bad if fewer than k are strictly worse. A
    candidate that is both, because of ties or a short list, is good if none is better, bad if none is worse,
    and otherwise neither. A sweep costs O(n log n) per sentence.

    >>> Splitting(bad=300).margin
    1.0
    """

    margin: Annotated[float, Above(0)] = 1.0
    """Margin on scaled features (τ). A sentence moves the weights by all its violated pairs, so 1 has no
    effect where lists cannot be separated; without ``average``, try 100 times the pairs of a sentence."""
    good: int | float = 0.3
    """Number of good candidates (r); below 1, a share of the list."""
    bad: int | float = 0.3
    """Number of bad candidates (k); below 1, a share of the list."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        for name in ("good", "bad"):
            value = getattr(self, name)
            if not 0 < value < math.inf or (value >= 1 and value != int(value)):
                raise ConfigError(f"{name} must be a share between 0 and 1 or a whole number, got {value}")

    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """Splitting in the engine."""
        return _engine.SplittingSweeper(
            lists,
            quality,
            good_share=self.good if self.good < 1 else 0.0,
            good_count=int(self.good),
            bad_share=self.bad if self.bad < 1 else 0.0,
            bad_count=int(self.bad),
            margin=self.margin,
        )
