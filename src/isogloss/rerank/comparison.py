"""Compare methods and features by cross-validation over the sentences of the development data."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, no_track
from isogloss.learn.expected import ExpectedScore
from isogloss.learn.learner import Learner
from isogloss.learn.online_reranker import OnlineLearner
from isogloss.learn.problem import Problem
from isogloss.metric.significance import paired_bootstrap
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import DenseGroup, Int64, NbestStore, SparseFeatures
from isogloss.report.rows import Row
from isogloss.rerank.assembly import joined_sparse, select_columns
from isogloss.rerank.curves import CurvePoint
from isogloss.rerank.features import FeatureContext, FeatureFunction, computed
from isogloss.rerank.length_ratios import brevity_penalty, length_ratio
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.train import part_of, train_model

__all__ = [
    "FeatureTable",
    "SweepRow",
    "compare",
    "cross_validate",
    "learning_curve",
    "learning_curves",
    "watching",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """A method with a set of features. Scores are on the metric's own scale."""

    method: str
    features: str
    score: float
    """Cross-validated score."""
    training_score: float
    """Mean score on the training folds."""
    difference: float
    """Difference from the decoder's choice; higher is better."""
    p_value: float
    """p-value of a paired bootstrap against the decoder's choice."""
    seconds: float
    """Processor time of all folds."""
    length_ratio: float | None = None
    """Words of the choice per word of the references; None if the metric does not count words."""

    @property
    def brevity_penalty(self) -> float | None:
        """BLEU's penalty for translations that are too short; 1 if there is none."""
        return None if self.length_ratio is None else brevity_penalty(self.length_ratio)

    def to_dict(self) -> Row:
        """As plain values."""
        return {**asdict(self), "brevity_penalty": self.brevity_penalty}


class FeatureTable:
    """A list whose features are computed once, to make problems with any subset of them."""

    def __init__(
        self,
        store: NbestStore,
        *,
        columns: Sequence[str] | None = None,
        source: Sequence[Sequence[str]] | None = None,
        training: bool = True,
        threads: int = 1,
    ) -> None:
        context = FeatureContext(store=store, source=source, training=training, threads=threads)
        self._fill(context, columns)

    @classmethod
    def of(cls, context: FeatureContext, columns: Sequence[str] | None = None) -> FeatureTable:
        """The table of a list and its context."""
        made = cls.__new__(cls)
        made._fill(context, columns)
        return made

    def _fill(self, context: FeatureContext, columns: Sequence[str] | None) -> None:
        self.store, self._context = context.store, context
        self.columns = tuple(context.store.dense_names if columns is None else columns)
        self._known: dict[str, tuple[tuple[DenseGroup, ...], Any, list[SparseFeatures]]] = {}

    def assembled(self, functions: Sequence[FeatureFunction]) -> NbestStore:
        """The list with its own columns and those of the functions."""
        groups = [DenseGroup(name, 1) for name in self.columns]
        dense = [select_columns(self.store, self.columns)]
        sparse = [] if self.store.sparse is None else [self.store.sparse]
        for function in functions:
            key = function.written()
            if key not in self._known:
                self._known[key] = computed(self.store, [function], self._context)
            more, values, fired = self._known[key]
            groups += more
            dense.append(values)
            sparse += fired
        names = [group.name for group in groups]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ConfigError(f"two features are called '{twice[0]}'; give one of them another ,label=NAME")
        return replace(
            self.store,
            dense_groups=tuple(groups),
            dense=np.hstack(dense),
            sparse=joined_sparse(sparse),
            path=None,
        )

    def problem(self, functions: Sequence[FeatureFunction], like: Problem) -> Problem:
        """A copy of the problem ``like`` with these features."""
        return Problem(self.assembled(functions), like.metric, like.statistics)


def cross_validate(
    problem: Problem,
    learner: Learner,
    functions: Sequence[FeatureFunction],
    train_options: RerankOptions,
    options: SweepOptions,
    *,
    track: Track = no_track,
) -> tuple[Int64, float]:
    """The row chosen for each sentence by a model trained on other folds, and the mean training score."""
    if options.folds > problem.num_sentences:
        raise ConfigError(
            f"{options.folds} folds need at least as many sentences, got {problem.num_sentences}; use fewer "
            "folds"
        )
    order = np.random.default_rng(options.seed).permutation(problem.num_sentences)
    chosen = np.zeros(problem.num_sentences, np.int64)
    training = []
    for fold in track(range(options.folds), "cross-validating", options.folds):
        held_out = np.sort(order[fold :: options.folds])
        rest = np.sort(np.setdiff1d(order, held_out))
        trained = train_model(part_of(problem, rest), learner, functions, train_options)
        other = part_of(problem, held_out)
        scores = trained.model.scores_of(other.store)
        begins = problem.sentences()[held_out] - other.sentences()[:-1]
        chosen[held_out] = other.choose(scores) + begins
        training.append(trained.learned.score)
    return chosen, float(np.mean(training))


def compare(
    table: FeatureTable,
    problem: Problem,
    methods: Sequence[tuple[str, Learner]],
    feature_sets: Sequence[tuple[str, Sequence[FeatureFunction]]],
    train_options: RerankOptions | None = None,
    options: SweepOptions | None = None,
    *,
    track: Track = no_track,
    report: Callable[[SweepRow], None] = lambda row: None,
    executor: Executor | None = None,
) -> list[SweepRow]:
    """Compare all methods with all sets of features; ``report`` is called with each result.

    A distributed ``executor`` validates every method with every set on a machine of its own.
    """
    options, train_options = options or SweepOptions(), train_options or RerankOptions()
    decoder = problem.stats()[best_rows(problem.store)]
    sign = 1 if problem.metric.higher_is_better else -1
    names = [(method, features) for features, _ in feature_sets for method, _ in methods]
    shards = (
        (own, learner, functions, train_options, options)
        for functions in (functions for _, functions in feature_sets)
        for own in [table.problem(functions, problem)]
        for _, learner in methods
    )
    if executor is not None and executor.distributed:
        results = executor.map(validate_shard, shards, "cross-validating")
    else:
        results = (validate_shard(shard, 1, track) for shard in shards)
    rows = []
    for (method, features), (chosen, training, seconds) in zip(names, results, strict=True):
        found = paired_bootstrap(
            problem.metric,
            [decoder],
            [problem.stats()[chosen]],
            samples=options.samples,
            seed=options.seed,
        )
        rows.append(
            SweepRow(
                method=method,
                features=features,
                score=problem.metric.score(problem.stats()[chosen].sum(axis=0)),
                training_score=problem.reported(training),
                difference=sign * found.difference,
                p_value=found.p_value,
                seconds=seconds,
                length_ratio=length_ratio(problem, chosen),
            )
        )
        report(rows[-1])
    return rows


def validate_shard(
    shard: tuple[Problem, Learner, Sequence[FeatureFunction], RerankOptions, SweepOptions],
    threads: int,
    track: Track = no_track,
) -> tuple[Int64, float, float]:
    """Cross-validate a method with its features: rows chosen, training score, CPU seconds."""
    begun = time.process_time()
    chosen, training = cross_validate(*shard, track=track)
    return chosen, training, time.process_time() - begun


def learning_curve(
    problem: Problem,
    learner: Learner,
    functions: Sequence[FeatureFunction] = (),
    train_options: RerankOptions | None = None,
    *,
    test: Problem | None = None,
    track: Track = no_track,
) -> list[CurvePoint]:
    """Scores after every iteration on the whole problem; the test data never stop training."""
    learner = watching(learner)
    return list(train_model(problem, learner, functions, train_options, watched=test, track=track).curve)


def watching(learner: Learner) -> Learner:
    """The learner with a curve; if it can, it watches held-out data without choosing by them."""
    if isinstance(learner, OnlineLearner):
        return replace(learner, keep="last", curve=True)
    return replace(learner, curve=True, patience=1 << 30) if isinstance(learner, ExpectedScore) else learner


def learning_curves(
    table: FeatureTable,
    problem: Problem,
    methods: Sequence[tuple[str, Learner]],
    feature_sets: Sequence[tuple[str, Sequence[FeatureFunction]]],
    train_options: RerankOptions | None = None,
    *,
    test: tuple[FeatureTable, Problem] | None = None,
) -> dict[tuple[str, str], list[CurvePoint]]:
    """The learning curves of all methods that have one, with every set of features."""
    drawn = {}
    for features, functions in feature_sets:
        own = table.problem(functions, problem)
        watched = None if test is None else test[0].problem(functions, test[1])
        for method, learner in methods:
            points = learning_curve(own, learner, functions, train_options, test=watched)
            if len(points) > 1:
                drawn[method, features] = points
    return drawn
