"""What a learner is: options with a method ``learn``, from a problem and start weights to weights.

A learner is one file of this package: a frozen dataclass of its options whose ``learn`` does the work. It
sees a ``Problem`` and knows nothing of decoders, files or the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from isogloss.learn.problem import Problem, WeightVector

__all__ = ["Learned", "Learner", "Step", "Track", "no_track", "step_of"]

T = TypeVar("T")


class Track(Protocol):
    """Gives the items on while showing, under a description, how many of them are done."""

    def __call__(self, items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
        """``isogloss.cli.console.track`` is one."""


def no_track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Show nothing."""
    return iter(items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One point of a learning curve."""

    iteration: int
    """From 1; what an iteration is depends on the learner: a pass, a restart."""
    score: float
    """``Problem.score_of`` the weights at this point."""
    held_out_score: float | None = None
    active_features: int = 0
    """Features whose weight is not 0."""


def step_of(iteration: int, problem: Problem, vector: WeightVector, held_out: Problem | None) -> Step:
    """The point of the curve that these weights make."""
    return Step(
        iteration=iteration,
        score=problem.score_of(vector),
        held_out_score=None if held_out is None else held_out.score_of(problem.named(vector)),
        active_features=int(np.count_nonzero(vector.dense) + np.count_nonzero(vector.sparse)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What a learner found."""

    weights: dict[str, float]
    """All dense weights, and the sparse ones that are not 0."""
    score: float
    """``Problem.score_of`` these weights: the higher the better, percentages in 0..1."""
    history: tuple[Step, ...] = ()
    """The learning curve, in order."""
    held_out_score: float | None = None


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
