"""ε-insensitive ordinal regression with uneven margins (Shen et al. 2004, Algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from isogloss import _engine
from isogloss.io.options import Above, AtLeast
from isogloss.learn.online_reranker import OnlineLearner, Sweeper
from isogloss.metric.interface import FloatArray

__all__ = ["OrdinalRegression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalRegression(OnlineLearner):
    """Candidates whose ranks p < q are far apart must be scored in that order, with larger margins at the
    top.

    The margin of a pair is (1/p - 1/q) times ``margin``. A sweep costs O(n log n) per sentence.

    >>> OrdinalRegression(gap=5).ratio
    2.0
    """

    margin: Annotated[float, Above(0)] = 1.0
    """Margin on scaled features (τ). A sentence moves the weights by all its violated pairs, so 1 has no
    effect where lists cannot be separated; without ``average``, try 100 times the pairs of a sentence."""
    ratio: Annotated[float, AtLeast(1)] = 2.0
    """Ranks p and q are far apart if ratio · p < q …"""
    gap: Annotated[float, AtLeast(0)] = 20.0
    """… and p + gap < q. Use a smaller gap for lists much shorter than the paper's 1000."""

    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """Ordinal regression in the engine."""
        return _engine.OrdinalSweeper(lists, quality, ratio=self.ratio, gap=self.gap, margin=self.margin)
