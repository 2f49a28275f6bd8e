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
    """Candidates whose ranks p < q are far apart shall score in that order, the further the higher up.

    The margin of a pair is (1/p - 1/q) times ``margin``. A sweep costs O(n log n) per sentence.

    >>> OrdinalRegression(gap=5).ratio
    2.0
    """

    margin: Annotated[float, Above(0)] = 1.0
    """τ, on scaled features."""
    ratio: Annotated[float, AtLeast(1)] = 2.0
    """Far apart means ratio · p < q …"""
    gap: Annotated[float, AtLeast(0)] = 20.0
    """… and p + gap < q. Lists much shorter than the paper's 1000 want a smaller gap."""

    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """Ordinal regression in the engine."""
        return _engine.OrdinalSweeper(lists, quality, ratio=self.ratio, gap=self.gap, margin=self.margin)
