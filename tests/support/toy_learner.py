"""A learner of a few lines, as a user would write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from isogloss.io.progress import Track, no_track
from isogloss.learn import Curve, Learned, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSearch:
    """Random steps, of which the best is kept."""

    steps: int = 20
    seed: int = 1

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        random, begin = np.random.default_rng(self.seed), problem.vector(start)
        curve = Curve(problem, held_out)
        for _ in track(range(self.steps), "random search", self.steps):
            curve.add(replace(begin, dense=begin.dense + random.normal(size=begin.dense.shape)))
        return curve.learned()
