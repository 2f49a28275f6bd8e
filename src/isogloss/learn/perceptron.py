"""The averaged perceptron: the oracle candidate against the model's choice."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss import _engine
from isogloss.learn.online_reranker import OnlineLearner, Sweeper
from isogloss.metric.interface import FloatArray

__all__ = ["Perceptron"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron(OnlineLearner):
    """Moves toward the oracle of a sentence and away from the model's choice, unless that is as good.

    >>> Perceptron(iterations=5).average
    True
    """

    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """The perceptron in the engine."""
        return _engine.PerceptronSweeper(lists, quality)
