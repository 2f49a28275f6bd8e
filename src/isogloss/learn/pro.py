"""PRO, pairwise ranking optimization (Hopkins and May 2011): tuning as classification.

Pairs of candidates are sampled from every sentence; those that differ most in quality are examples for a
logistic regression on the differences of their features.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, ByCaller, Options
from isogloss.learn.constraints import Constraints, Limits
from isogloss.learn.learner import Curve, Learned, Track, no_track
from isogloss.learn.problem import Problem, WeightVector
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64

__all__ = ["Pro"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pro(Options):
    """Sample pairs and fit a logistic regression, several times; average the weights.

    >>> Pro(pairs=20).samples
    5000
    """

    samples: Annotated[int, AtLeast(1)] = 5000
    """Pairs drawn per sentence."""
    pairs: Annotated[int, AtLeast(1)] = 50
    """Pairs kept per sentence: those whose qualities differ most."""
    least_difference: Annotated[float, AtLeast(0)] = 0.05
    """Minimum difference in quality of a pair (sentence BLEU, 0 to 1)."""
    regularization: Annotated[float, AtLeast(0)] = 1.0
    """Strength of L2 regularization, for features scaled to the same spread, relative to the number of
    pairs."""
    draws: Annotated[int, AtLeast(1)] = 5
    """Number of samples of pairs; the weights learned from each are averaged."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for sampling."""
    constraints: Annotated[Constraints, ByCaller()] = field(default_factory=Constraints)

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Fit all samples; with ``held_out``, the number of samples that is best there is used."""
        begin = problem.vector(start)
        limits = self.constraints.limits(problem.dense_names, begin.dense)
        quality = problem.sentence_scores()
        random = np.random.default_rng(self.seed)
        total = WeightVector(np.zeros_like(begin.dense), np.zeros_like(begin.sparse))
        # Samples differ only by chance, so more are better, whatever the score.
        curve = Curve(problem, held_out, prefer_last=True)
        for draw in track(range(1, self.draws + 1), "PRO draws", self.draws):
            good, bad = self.draw(problem, quality, random)
            if len(good) == 0:
                raise ConfigError(
                    "no two candidates of any sentence differ enough in quality; lower least_difference "
                    f"(now {self.least_difference:g})"
                )
            fitted = _fit(problem, good, bad, begin, limits, self.regularization)
            total = WeightVector(total.dense + fitted.dense, total.sparse + fitted.sparse)
            curve.add(WeightVector(total.dense / draw, total.sparse / draw))
        return curve.learned()

    def draw(self, problem: Problem, quality: FloatArray, random: np.random.Generator) -> tuple[Int64, Int64]:
        """Rows of better and of worse candidates, pair by pair."""
        good, bad = [], []
        for begin, end in itertools.pairwise(problem.sentences().tolist()):
            first, second = begin + random.integers(end - begin, size=(2, self.samples))
            difference = quality[first] - quality[second]
            size = np.abs(difference)
            kept = np.flatnonzero((size >= self.least_difference) & (size > 0))
            kept = kept[np.argsort(-size[kept], kind="stable")[: self.pairs]]
            better = difference[kept] > 0
            good.append(np.where(better, first[kept], second[kept]))
            bad.append(np.where(better, second[kept], first[kept]))
        return np.concatenate(good), np.concatenate(bad)


def _fit(
    problem: Problem, good: Int64, bad: Int64, begin: WeightVector, limits: Limits, regularization: float
) -> WeightVector:
    """The weights that maximize the probability of the better candidates.

    Dense features are scaled by their spread, so that one strength of regularization fits all.
    """
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    deviation = problem.deviations()
    scale = np.where(deviation > 0, deviation, 1.0)
    dense = (problem.dense()[good] - problem.dense()[bad]) / scale
    width = len(scale)
    offsets, columns, values = problem.sparse(np.concatenate([good, bad]))
    rows = csr_matrix((values.astype(np.float64), columns, offsets), (2 * len(good), len(begin.sparse)))
    sparse = rows[: len(good)] - rows[len(good) :]
    mean, strength = limits.mean * scale, limits.strength * len(good) / scale**2

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        margins = np.einsum("ij,j->i", dense, weights[:width]) + sparse @ weights[width:]
        lost = np.logaddexp(0, -margins)
        pull = -np.exp(-margins - lost)  # minus the probability of the wrong winner
        from_prior = strength * (weights[:width] - mean)
        value = lost.sum() + regularization * (weights @ weights) / 2
        value += from_prior @ (weights[:width] - mean) / 2
        slope = (
            np.concatenate([np.einsum("ij,i->j", dense, pull), sparse.T @ pull]) + regularization * weights
        )
        slope[:width] += from_prior
        return float(value), slope + regularization * weights

    found = minimize(
        loss,
        np.concatenate([begin.dense * scale, begin.sparse]),
        jac=True,
        method="L-BFGS-B",
        bounds=[*zip(limits.lower * scale, limits.upper * scale, strict=True)]
        + [(None, None)] * len(begin.sparse),
    )
    fitted = np.where(
        deviation > 0, found.x[:width] / scale, begin.dense
    )  # no pair has information about the rest
    return WeightVector(limits.clip(fitted), found.x[width:])
