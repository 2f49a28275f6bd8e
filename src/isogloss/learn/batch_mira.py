"""k-best batch MIRA (Cherry and Foster 2012): many passes over a list, a small update per sentence.

In every sentence, *hope* is a candidate that is good by the model and by the metric, *fear* one that is good
by the model and bad by the metric; hope must outscore fear by the difference of their quality. The quality of
a candidate is its score together with a decaying pseudo-document of earlier hopes, so that the losses add up
to a document score. The result is the mean of the weights after every update.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from isogloss import _engine
from isogloss.io.options import Above, AtLeast, Between, ByCaller, Options
from isogloss.learn.constraints import Constraints
from isogloss.learn.learner import Curve, Learned, Track, no_track
from isogloss.learn.problem import Problem, WeightVector
from isogloss.metric import Bleu

__all__ = ["BatchMira"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchMira(Options):
    """Passes over the list; the averaged weights of the best pass are the result.

    >>> BatchMira(iterations=10).aggressiveness
    0.01
    """

    iterations: Annotated[int, AtLeast(1)] = 60
    """Number of passes over all sentences."""
    aggressiveness: Annotated[float, Above(0)] = 0.01
    """Largest step of one update (C)."""
    decay: Annotated[float, Between(0, 1)] = 0.999
    """Decay of the pseudo-document of earlier hopes after each sentence."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for the order of sentences."""
    constraints: Annotated[Constraints, ByCaller()] = field(default_factory=Constraints)

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Run all passes; the pass with the best average weights, on ``held_out`` if given, wins."""
        begin = problem.vector(start)
        limits = self.constraints.limits(problem.dense_names, begin.dense)
        statistics = np.asarray(problem.stats(), dtype=np.float64)
        chosen = problem.choose(problem.model_scores(begin))
        mira = _engine.BatchMira(
            problem.sentences(),
            problem.dense(),
            *problem.sparse(np.arange(len(statistics))),
            len(problem.sparse_names),
            statistics,
            begin.dense,
            begin.sparse,
            statistics[chosen].mean(axis=0),  # the pseudo-document starts with one average sentence
        )
        words = float(np.diff(problem.store.tokens.offsets).mean())
        random = np.random.default_rng(self.seed)
        curve = Curve(problem, held_out)
        averages: list[WeightVector] = []
        for _ in track(range(self.iterations), "batch MIRA", self.iterations):
            mira.visit(
                random.permutation(problem.num_sentences).astype(np.uint32),
                aggressiveness=self.aggressiveness,
                decay=self.decay,
                loss_scale=max(words, 1.0),
                **limits._asdict(),
                **_scoring(problem),
            )
            averages.append(WeightVector(*mira.average()))
            if problem.sparse_names:  # many of such vectors would fill the memory
                curve.add(averages.pop())
        curve.add_all(averages)
        return curve.learned()


def _scoring(problem: Problem) -> dict[str, Any]:
    """The engine's scorer of statistics: built in for BLEU, a callback for other metrics."""
    if not isinstance(problem.metric, Bleu):
        return {"scores": lambda rows: np.ascontiguousarray(problem.scores(rows))}
    options = problem.metric.options
    return {
        "smoothing": options.smoothing,
        "smoothing_value": options.smoothing_value,
        "effective_order": options.effective_order,
    }
