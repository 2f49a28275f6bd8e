"""The expected score of the document: a smooth stand-in for the metric itself, for any number of features.

With P(candidate) ∝ exp(w·h) within its list, the statistics of the document have an expectation, and the
metric of that expectation is a smooth function of w (Smith and Eisner 2006; Rosti et al. 2010 for BLEU).
Unlike the methods that compare candidates pair by pair it sees what the document as a whole needs, its
length above all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from isogloss.io.lbfgs import minimize
from isogloss.io.options import AtLeast, ByCaller, Options
from isogloss.learn.learner import Learned, LearningStep, Track, no_track
from isogloss.learn.mbr import posterior
from isogloss.learn.online_reranker import deviations, lists_of
from isogloss.learn.problem import Problem, WeightVector
from isogloss.metric.interface import FloatArray

__all__ = ["ExpectedScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedScore(Options):
    """Maximizes score(expected statistics) - regularization · |w - start|² over scaled features.

    The start is first multiplied with the number that makes its expected score best, because weights that
    were made for ranking say nothing about probabilities.

    >>> ExpectedScore(regularization=0.001).iterations
    200
    """

    iterations: Annotated[int, AtLeast(1)] = 200
    """Most steps of the optimizer."""
    regularization: Annotated[float, AtLeast(0)] = 1e-4
    """What it costs to leave the start, on features of unit deviation; the metric is in 0..1."""
    sparse_regularization: Annotated[float | None, AtLeast(0)] = None
    """The same for sparse features; like the dense ones if not given."""
    patience: Annotated[int, AtLeast(1)] = 20
    """Steps without a new best score on held-out data before learning stops, if there is such data."""
    curve: Annotated[bool, ByCaller()] = False
    """Record the score after every step, which takes a third of the time again."""

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """First the mean expected score of sentences, which is easier to climb, then that of the document."""
        objective = _Objective(problem, self)
        flat = objective.begin_at(objective.scaled(problem.vector(start)))
        steps: list[LearningStep] = []
        best, best_score = flat, -math.inf
        for function in (objective.of_sentences, objective.of_document):
            course = minimize(function, flat, iterations=self.iterations)
            for flat, _ in track(course, "learning", self.iterations):
                if held_out is None and not self.curve:
                    best = flat
                    continue
                weights = problem.named(objective.vector(flat))
                steps.append(
                    LearningStep(
                        iteration=len(steps) + 1,
                        score=problem.score_of(weights),
                        held_out_score=None if held_out is None else held_out.score_of(weights),
                        active_features=int(np.count_nonzero(flat)),
                    )
                )
                if held_out is None:
                    best = flat
                    continue
                if (held_out_score := steps[-1].held_out_score or 0.0) > best_score:
                    best, best_score, best_step = flat, held_out_score, len(steps)
                elif len(steps) - best_step >= self.patience:
                    break
        vector = objective.vector(best)
        weights = problem.named(vector)
        return Learned(
            weights=weights,
            score=problem.score_of(vector),
            history=tuple(steps),
            held_out_score=None if held_out is None else held_out.score_of(weights),
        )


class _Objective:
    """What is minimized, as a function of weights of features of unit deviation."""

    def __init__(self, problem: Problem, options: ExpectedScore) -> None:
        self._problem = problem
        self._lists = lists_of(problem)
        self._statistics = np.asarray(problem.stats(), dtype=np.float64)
        self._quality = problem.sentence_scores()
        self._columns = len(problem.dense_names)
        deviation = deviations(problem.dense(), problem.sentences())
        inverse = np.where(deviation > 0, 1 / np.where(deviation > 0, deviation, 1), 0)
        self._scale = np.concatenate([inverse, np.ones(len(problem.sparse_names))])
        self._center = np.zeros(len(self._scale))
        dense, sparse = options.regularization, options.sparse_regularization
        self._cost = np.concatenate(
            [
                np.full(self._columns, dense),
                np.full(len(problem.sparse_names), dense if sparse is None else sparse),
            ]
        )

    def scaled(self, vector: WeightVector) -> FloatArray:
        """Weights of the features as they are, turned into weights of features of unit deviation."""
        flat = np.concatenate([vector.dense, vector.sparse])
        return np.asarray(np.divide(flat, self._scale, out=np.zeros_like(flat), where=self._scale > 0))

    def begin_at(self, flat: FloatArray) -> FloatArray:
        """Make the best multiple of these weights the one that costs nothing, and give it."""
        if np.any(flat):
            multiples = [flat * 2.0**power for power in range(-6, 7)]
            self._center = min(multiples, key=lambda one: self._without_cost(one))
        return self._center

    def _without_cost(self, flat: FloatArray) -> float:
        expected = self._probabilities(flat) @ self._statistics
        return -float(self._problem.scores(expected[np.newaxis])[0])

    def vector(self, flat: FloatArray) -> WeightVector:
        """And back."""
        raw = flat * self._scale
        return WeightVector(raw[: self._columns], raw[self._columns :])

    def of_sentences(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Minus the mean over sentences of the expected sentence score."""
        probabilities = self._probabilities(flat)
        value = float(probabilities @ self._quality) / self._problem.num_sentences
        slope = self._quality / self._problem.num_sentences
        return self._with_cost(flat, value, probabilities, slope)

    def of_document(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Minus the score of the expected statistics."""
        probabilities = self._probabilities(flat)
        expected = probabilities @ self._statistics
        value, gradient = self._document(expected)
        return self._with_cost(flat, value, probabilities, self._statistics @ gradient)

    def _probabilities(self, flat: FloatArray) -> FloatArray:
        scores = self._lists.scores(flat * self._scale)
        return posterior(scores, self._problem.sentences())

    def _document(self, expected: FloatArray) -> tuple[float, FloatArray]:
        """The metric and its derivatives, by differences: metrics have few statistics."""
        steps = 1e-6 * np.maximum(np.abs(expected), 1.0)
        shifted = expected + np.concatenate([np.zeros((1, len(expected))), np.diag(steps), -np.diag(steps)])
        value, *around = self._problem.scores(shifted).tolist()
        half = len(expected)
        return float(value), (np.array(around[:half]) - np.array(around[half:])) / (2 * steps)

    def _with_cost(
        self, flat: FloatArray, value: float, probabilities: FloatArray, slope: FloatArray
    ) -> tuple[float, FloatArray]:
        offsets = self._problem.sentences()
        means = np.add.reduceat(probabilities * slope, offsets[:-1])
        multipliers = probabilities * (slope - np.repeat(means, np.diff(offsets)))
        gradient = self._lists.combine(multipliers) * self._scale
        away = flat - self._center
        cost = float(np.sum(self._cost * away * away))
        return cost - value, 2 * self._cost * away - gradient
