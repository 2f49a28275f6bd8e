"""What a learner is: options with a method ``learn``, from a problem and start weights to weights.

A learner is one file of this package: a frozen dataclass of its options whose ``learn`` does the work. It
sees a ``Problem`` and knows nothing of decoders, files or the command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isogloss.io.errors import InternalError
from isogloss.io.progress import Track, no_track
from isogloss.learn.problem import Problem, WeightVector

__all__ = ["Curve", "Learned", "Learner", "LearningStep", "Track", "no_track"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep:
    """One point of a learning curve."""

    iteration: int
    """From 1; what an iteration is depends on the learner: a pass, a restart."""
    score: float
    """``Problem.score_of`` the weights at this point."""
    held_out_score: float | None = None
    active_features: int = 0
    """Features whose weight is not 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a learner found."""

    weights: dict[str, float]
    """All dense weights, and the sparse ones that are not 0."""
    score: float
    """``Problem.score_of`` these weights: the higher the better, percentages in 0..1."""
    history: tuple[LearningStep, ...] = ()
    """The learning curve, in order."""
    held_out_score: float | None = None


class Curve:
    """A learning curve in the making, and the weights that are best so far.

    Held-out data decide between weights if there are any, or else the problem itself; of a learner whose
    later weights are always the better ones (``prefer_last``) only held-out data do.
    """

    def __init__(self, problem: Problem, held_out: Problem | None, *, prefer_last: bool = False) -> None:
        self._problem, self._held_out = problem, held_out
        self._prefer_last = prefer_last and held_out is None
        self._steps: list[LearningStep] = []
        self._best: tuple[float, LearningStep, WeightVector] | None = None

    def add(self, vector: WeightVector, *, cost: float = 0.0) -> None:
        """The weights of the next iteration; ``cost`` is what priors take from their score."""
        self._add(vector, self._problem.score_of(vector), cost)

    def add_all(self, vectors: Sequence[WeightVector]) -> None:
        """The weights of several iterations at once, which is faster."""
        for vector, score in zip(vectors, self._problem.scores_of(vectors), strict=True):
            self._add(vector, score, 0.0)

    def _add(self, vector: WeightVector, score: float, cost: float) -> None:
        step = LearningStep(
            iteration=len(self._steps) + 1,
            score=score,
            held_out_score=self._held_out_score(vector),
            active_features=int(np.count_nonzero(vector.dense) + np.count_nonzero(vector.sparse)),
        )
        self._steps.append(step)
        aim = (step.score if step.held_out_score is None else step.held_out_score) - cost
        if self._best is None or self._prefer_last or aim > self._best[0]:
            self._best = (aim, step, vector)

    def _held_out_score(self, vector: WeightVector) -> float | None:
        return None if self._held_out is None else self._held_out.score_of(self._problem.named(vector))

    def learned(self) -> Learned:
        """The best weights; something must have been added."""
        if self._best is None:
            raise InternalError("a learner has no progress to report")
        _, step, vector = self._best
        return Learned(
            weights=self._problem.named(vector),
            score=step.score,
            history=tuple(self._steps),
            held_out_score=step.held_out_score,
        )


class Learner(Protocol):
    """Options of a method and the method itself."""

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Find weights, beginning at ``start`` (features it does not name begin at 0).

        Runs with the same options, problem and start give the same weights, whatever the number of threads.
        With ``held_out`` the weights that are best there are returned instead of the last or the best on
        the problem itself.
        """
