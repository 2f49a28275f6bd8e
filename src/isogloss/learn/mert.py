"""Minimum error rate training (Och 2003): the metric itself, optimized one line of weights at a time.

Along a line the candidates that win change at finitely many points, which the engine finds exactly; the
metric is constant in between, and the best interval is the exact optimum on the line. Dense features only:
sparse ones keep the weights they start with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, ByCaller, Options
from isogloss.learn.constraints import Constraints, Limits
from isogloss.learn.learner import Curve, Learned, Track, no_track
from isogloss.learn.problem import Problem, WeightVector
from isogloss.metric.interface import FloatArray

__all__ = ["Mert", "best_step"]

_NARROWEST = 1e-10  # relative; in narrower intervals rounding decides who wins
_GAIN = 1e-9  # least improvement worth a move
_ROUND = 4  # restarts that know nothing of each other and can run at once
_NEAREST, _FURTHEST = 0.05, 0.5  # where a restart begins: distance from the best weights, by their size


@dataclass(frozen=True, slots=True, kw_only=True)
class Mert(Options):
    """Exact line searches along single weights and random directions, restarted near the best weights so far.

    >>> Mert(restarts=5, seed=7).random_directions
    10
    """

    restarts: Annotated[int, AtLeast(0)] = 20
    """Number of random restarts; each begins near the best weights so far."""
    random_directions: Annotated[int, AtLeast(0)] = 10
    """Random directions to try when no single weight improves the score; 0 stops there."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for weights and directions."""
    threads: Annotated[int, AtLeast(1), ByCaller()] = 1
    """Number of threads; the result does not depend on it."""
    constraints: Annotated[Constraints, ByCaller()] = field(default_factory=Constraints)

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Search from all starts; the best result, on ``held_out`` if given, wins."""
        if not problem.dense_names:
            raise ConfigError("MERT tunes dense features only, and there are none; use batch-mira or pro")
        begin = problem.vector(start)
        shared = _Shared(
            problem,
            _engine.LineSearch(
                problem.sentences(), problem.dense(), np.asarray(problem.stats(), dtype=np.float64)
            ),
            self.constraints.limits(problem.dense_names, begin.dense),
            _spread(problem),
            self,
        )
        curve = Curve(problem, held_out)
        for _, vector in track(self._searches(shared, begin), "MERT searches", self.restarts + 1):
            curve.add(shared.normalized(vector), cost=shared.limits.penalty(vector.dense))
        return curve.learned()

    def _searches(self, shared: _Shared, begin: WeightVector) -> Iterator[tuple[float, WeightVector]]:
        """What every search found, and its goal. A round's searches all begin near the same weights."""
        # With zero weights every candidate ties, so that the list's own order would win, and often stay best.
        nothing = not np.any(begin.dense) and not np.any(begin.sparse)
        best = shared.restart(begin, 0) if nothing else shared.search(begin.copy(), 0)
        yield best
        with ThreadPoolExecutor(self.threads) as pool:
            for first in range(1, self.restarts + 1, _ROUND):
                numbers = range(first, min(first + _ROUND, self.restarts + 1))
                center = best[1]
                for result in pool.map(lambda number, near=center: shared.restart(near, number), numbers):
                    yield result
                    best = max(best, result, key=lambda goal_and_vector: goal_and_vector[0])


class _Shared(NamedTuple):
    """Everything that the searches share."""

    problem: Problem
    lines: _engine.LineSearch
    limits: Limits
    spread: FloatArray
    options: Mert

    def restart(self, center: WeightVector, number: int) -> tuple[float, WeightVector]:
        """Search from random weights near ``center``."""
        random = np.random.default_rng([self.options.seed, number, 1])
        vector = center.copy()
        used = self.spread > 0
        size = float(np.linalg.norm(vector.dense[used] / self.spread[used])) or 1.0
        radius = math.exp(random.uniform(math.log(_NEAREST), math.log(_FURTHEST)))
        length = radius * size / math.sqrt(int(used.sum()) or 1)
        moved = vector.dense + length * random.normal(size=len(used)) * self.spread
        vector.dense[:] = self.limits.clip(moved)
        return self.search(vector, number)

    def search(self, vector: WeightVector, number: int) -> tuple[float, WeightVector]:
        """Hill-climb from ``vector``, which is modified, to a local optimum."""
        random = np.random.default_rng([self.options.seed, number])
        climber = _Climber(self, vector)
        while climber.single_weights(random) or climber.random_directions(random):
            pass
        return climber.goal, vector

    def normalized(self, vector: WeightVector) -> WeightVector:
        """Weights scaled to an L1 norm of 1, if no constraint forbids it; they choose the same candidates."""
        size = np.abs(vector.dense).sum()
        if self.limits.scale_matters or np.any(vector.sparse) or size == 0:
            return vector
        return WeightVector(vector.dense / size, vector.sparse)


def _spread(problem: Problem) -> FloatArray:
    """Sizes of weights that give all features the same influence; 0 for features that never matter."""
    deviation = problem.deviations()
    return np.where(deviation > 0, 1 / np.where(deviation > 0, deviation, 1), 0.0)


class _Climber:
    """One search: its current weights and moves."""

    def __init__(self, shared: _Shared, vector: WeightVector) -> None:
        self._shared, self._vector = shared, vector
        self._scores = shared.problem.model_scores(vector)
        self.goal = shared.problem.score_of(vector) - shared.limits.penalty(vector.dense)

    def single_weights(self, random: np.random.Generator) -> bool:
        """Optimize every weight separately, in random order; return whether anything improved."""
        problem, lines, limits, spread, _ = self._shared
        improved = False
        for column in random.permutation(np.flatnonzero(limits.free & (spread > 0))).tolist():
            direction = np.zeros(len(self._vector.dense))
            direction[column] = 1
            thresholds, sums = lines.along_column(self._scores, column)
            improved |= self._move(direction, thresholds, sums, problem.dense()[:, column])
        return improved

    def random_directions(self, random: np.random.Generator) -> bool:
        """Try random directions until one improves the score; return whether one did."""
        _, lines, limits, spread, options = self._shared
        for _ in range(options.random_directions):
            direction = np.where(limits.free, random.normal(size=len(spread)) * spread, 0.0)
            slopes = lines.products(direction)
            if self._move(direction, *lines.along(self._scores, slopes), slopes):
                return True
        return False

    def _move(
        self, direction: FloatArray, thresholds: FloatArray, sums: FloatArray, slopes: FloatArray
    ) -> bool:
        problem, _, limits, *_ = self._shared
        dense = self._vector.dense
        step, goal = best_step(thresholds, problem.scores(sums), dense, direction, limits)
        if goal <= self.goal + _GAIN:
            return False
        dense[:] = limits.clip(dense + step * direction)
        self._scores = self._scores + step * slopes
        self.goal = goal
        return True


def best_step(
    thresholds: FloatArray, scores: FloatArray, dense: FloatArray, direction: FloatArray, limits: Limits
) -> tuple[float, float]:
    """How far to go along a direction, and the score minus the cost of the priors there.

    ``scores`` has one number for every interval between thresholds. Without priors, the result is the middle
    of the best interval; in case of ties, of the nearest one.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(limits.lower - dense) / direction, (limits.upper - dense) / direction])
    ends = ends[:, direction != 0]
    low, high = ends.min(axis=0).max(initial=-np.inf), ends.max(axis=0).min(initial=np.inf)
    # Nothing changes beyond the last threshold, so a small step is enough.
    margin = 0.1 * (np.abs(thresholds[[0, -1]]).max() if len(thresholds) else 1.0) + 1e-6
    first, last = (thresholds[0], thresholds[-1]) if len(thresholds) else (0.0, 0.0)
    begin = np.concatenate(([min(first - margin, 0.0)], thresholds)).clip(low, high)
    end = np.concatenate((thresholds, [max(last + margin, 0.0)])).clip(low, high)
    curvature = limits.strength @ direction**2
    slope = limits.strength @ (direction * (dense - limits.mean))
    width = end - begin
    if curvature > 0:
        steps = np.clip(-slope / curvature, begin + 0.01 * width, end - 0.01 * width)
    else:
        steps = (begin + end) / 2
    goals = scores - (slope * steps + curvature * steps**2 / 2) - limits.penalty(dense)
    goals[width <= _NARROWEST * np.maximum(np.abs(begin), np.abs(end))] = -np.inf
    best = goals.max()
    nearest = np.flatnonzero(goals == best)
    chosen = nearest[np.argmin(np.abs(steps[nearest]))]
    return float(steps[chosen]), float(best)
