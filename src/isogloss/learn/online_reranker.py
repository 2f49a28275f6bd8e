"""Common parts of the online rerankers: sweeps over sentences, averaging, curves, early stopping.

A sweep visits every sentence once: it computes all scores with the current weights and multipliers for all
pairs of candidates that violate a constraint, and makes one update. The methods differ only in their
constraints, which are in the engine.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Options
from isogloss.learn.learner import Learned, LearningStep, Track, no_track
from isogloss.learn.problem import Problem, WeightVector
from isogloss.learn.quality import candidate_quality
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64

__all__ = ["Course", "OnlineLearner", "PairStep", "Sweeper", "deviations", "lists_of"]

_CANDIDATES_PER_CALL = 2_000_000  # about a second, so that progress and Ctrl-C are handled between calls


class Sweeper(Protocol):
    """The interface of the engine's methods."""

    def sweep(
        self,
        sentences: Int64,
        weights: _engine.RerankWeights,
        *,
        private_lambda: float = 0.0,
        private_weights: FloatArray | None = None,
    ) -> tuple[float, float, float]:
        """Violating pairs, sum of their multipliers, loss."""

    def totals(self, weights: FloatArray) -> tuple[float, float, float]:
        """The same under fixed weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStep(LearningStep):
    """A point of the curves of Shen et al. 2004."""

    pairs: float
    """Pairs of candidates that violate their constraint with these weights."""
    loss: float
    """Total amount by which these pairs miss their margins."""

    @property
    def log_loss(self) -> float | None:
        """The natural logarithm of the loss, which is what the paper plots; None if there is none."""
        return math.log(self.loss) if self.loss > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineLearner(Options):
    """Options of all online rerankers."""

    iterations: Annotated[int, AtLeast(1)] = 100
    """Maximum number of sweeps; stops early after a sweep without updates. The papers use 10,000."""
    average: bool = True
    """Return the mean of the weights after every sentence instead of the last."""
    quality: Literal["sentence", "document"] = "sentence"
    """Quality that ranks candidates: sentence, or document (the approximated document score)."""
    scale: bool = True
    """Divide every dense feature by its standard deviation within sentences."""
    sparse_rate: Annotated[float, AtLeast(0)] = 1.0
    """Step size of sparse features, relative to a dense feature of unit deviation."""
    private_lambda: Annotated[float, AtLeast(0)] = 0.0
    """The λ trick of Li et al. 2002: a private feature of this size per sentence; 0 turns it off."""
    patience: Annotated[int, AtLeast(1)] = 10
    """Stop after this many sweeps without a better score on held-out data, if given."""
    keep: Literal["best", "last"] = "best"
    """With held-out data, return the weights of its best sweep, or go on to the end and return the ``last``
    ones; then held-out data are only watched."""
    shuffle: bool = False
    """Visit the sentences in a new random order in every sweep."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for this order."""
    curve: bool = True
    """Record score and loss after the sweeps 1 to 100, then after every tenth, from 1,000 on every
    hundredth, and so on. It takes about as long as the sweep."""

    @abstractmethod
    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """The constraints of this method on a list."""

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Sweep until no constraint is violated, the held-out score stops improving, or the limit is
        reached."""
        course = Course(self, problem, start, held_out)
        kept = course.start
        for weights in course.run(track):
            if held_out is None or self.keep == "last" or course.at_best:
                kept = weights
        return Learned(
            weights=problem.named(kept),
            score=problem.score_of(kept),
            history=tuple(course.steps),
            held_out_score=None if held_out is None else held_out.score_of(problem.named(kept)),
        )


class Course:
    """One run of an online learner: weights after every sweep, and the curves."""

    def __init__(
        self,
        options: OnlineLearner,
        problem: Problem,
        start: Mapping[str, float],
        held_out: Problem | None = None,
    ) -> None:
        self.options, self.problem = options, problem
        self.start = problem.vector(start)
        self.steps: list[PairStep] = []
        self._training = _Scored(problem, problem)
        self._held_out = None if held_out is None else _Scored(held_out, problem)
        self._sweeper = options.sweeper(self._training.lists, candidate_quality(problem, options.quality))
        self._weights = _engine.RerankWeights(
            np.concatenate([self.start.dense, self.start.sparse]),
            len(problem.dense_names),
            _rates(problem, options),
        )
        self._random = np.random.default_rng(options.seed) if options.shuffle else None
        self._private = np.zeros(problem.num_sentences) if options.private_lambda else None

    @property
    def at_best(self) -> bool:
        """Whether the last step has the best held-out score so far."""
        return self._steps_since_best() == 0

    def run(self, track: Track) -> Iterator[WeightVector]:
        """The weights after every sweep, until one makes no update or learning stops."""
        columns = len(self.problem.dense_names)
        for iteration in track(range(1, self.options.iterations + 1), "learning", self.options.iterations):
            updates = self._sweep()
            flat = self._weights.average() if self.options.average else self._weights.current()
            if not np.all(np.isfinite(flat)):
                raise _too_large()
            ends = updates == 0 or iteration == self.options.iterations
            if self._chooses or (self.options.curve and (ends or _drawn(iteration))):
                self.steps.append(self._step(iteration, flat))
            yield WeightVector(flat[:columns], flat[columns:])
            if ends or (self._chooses and self._steps_since_best() >= self.options.patience):
                return

    @property
    def _chooses(self) -> bool:
        """Whether held-out data choose the weights."""
        return self._held_out is not None and self.options.keep == "best"

    def _sweep(self) -> float:
        sentences = self.problem.num_sentences
        order = np.arange(sentences) if self._random is None else self._random.permutation(sentences)
        calls = -(-self.problem.store.num_candidates // _CANDIDATES_PER_CALL)
        updates = 0.0
        for part in np.array_split(order, min(calls, sentences)):
            try:
                updates += self._sweeper.sweep(
                    part,
                    self._weights,
                    private_lambda=self.options.private_lambda,
                    private_weights=self._private,
                )[0]
            except OverflowError:
                raise _too_large() from None
        return updates

    def _step(self, iteration: int, flat: FloatArray) -> PairStep:
        try:
            pairs, _, loss = self._sweeper.totals(flat)
        except OverflowError:
            raise _too_large() from None
        return PairStep(
            iteration=iteration,
            score=self._training.score(flat),
            held_out_score=None if self._held_out is None else self._held_out.score(flat),
            active_features=int(np.count_nonzero(flat)),
            pairs=pairs,
            loss=max(loss, 0.0),  # rounding of a large sum
        )

    def _steps_since_best(self) -> int:
        scores = [step.held_out_score for step in self.steps if step.held_out_score is not None]
        return len(scores) - 1 - int(np.argmax(scores)) if scores else 0


class _Scored:
    """The features of a problem as the engine reads them, by the columns of the problem learned from."""

    def __init__(self, problem: Problem, learned_from: Problem) -> None:
        self._problem = problem
        names = [*learned_from.dense_names, *learned_from.sparse_names]
        own = [*problem.dense_names, *problem.sparse_names]
        self._columns = None
        if own != names:
            numbers = {name: number for number, name in enumerate(names)}
            self._columns = np.array([numbers.get(name, len(names)) for name in own], dtype=np.int64)
        self.lists = lists_of(problem)

    def score(self, flat: FloatArray) -> float:
        """The score of the candidates that the weights choose."""
        own = flat if self._columns is None else np.append(flat, 0.0)[self._columns]
        return self._problem.score_of_rows(self._problem.choose(self.lists.scores(own)))


def lists_of(problem: Problem) -> _engine.RerankLists:
    """The engine's view of a problem, with materialized sparse features."""
    dense = np.ascontiguousarray(problem.dense())
    if not problem.sparse_names:
        return _engine.RerankLists(problem.sentences(), dense)
    rows = problem.sparse(np.arange(problem.store.num_candidates))
    return _engine.RerankLists(problem.sentences(), dense, *rows, sparse_size=len(problem.sparse_names))


def deviations(dense: FloatArray, offsets: Int64) -> FloatArray:
    """Standard deviation of every column within sentences; 0 if it is constant in every sentence."""
    if len(dense) == 0:
        return np.zeros(dense.shape[1])
    sizes = np.diff(offsets)
    found = np.empty(dense.shape[1])
    for column in range(dense.shape[1]):  # one column at a time: a second matrix might not fit into memory
        values = dense[:, column] - np.repeat(dense[offsets[:-1], column], sizes)
        largest = np.abs(values).max()
        if largest == 0:
            found[column] = 0
            continue
        values /= largest  # squares of very small or large numbers would be lost
        means = np.add.reduceat(values, offsets[:-1]) / sizes
        values -= np.repeat(means, sizes)
        found[column] = largest * np.sqrt(np.mean(values * values))
    return found


def _drawn(iteration: int) -> bool:
    """Whether an iteration is a point of the curves, of which there are less than 200 up to 1,000.

    >>> [iteration for iteration in range(98, 130) if _drawn(iteration)]
    [98, 99, 100, 110, 120]
    """
    step: int = 10 ** max(0, len(str(iteration)) - 2)
    return iteration % step == 0


def _rates(problem: Problem, options: OnlineLearner) -> FloatArray:
    rates = np.ones(len(problem.dense_names) + 1)
    if options.scale:
        deviation = deviations(problem.dense(), problem.sentences())
        tells = deviation > 0
        rates[:-1] = np.where(tells, 1 / np.where(tells, deviation, 1) ** 2, 0)
    rates[-1] = options.sparse_rate
    if not np.all(np.isfinite(rates)):
        raise ConfigError(
            "the values of a feature differ too little to learn a finite weight; scale the feature"
        )
    return rates


def _too_large() -> ConfigError:
    return ConfigError(
        "the weights overflowed; are the features scaled, and is the quality in a sensible range?"
    )
