"""The experiment of Shen et al. 2004 on anybody's lists: Tables 1 and 2, Figures 2 to 9.

Each feature is first judged alone beside the list's own columns. Four sets are made by thresholds on these
single scores, and a fifth by greedy forward selection; every method then learns from every set. All choices
are made by cross-validation on the development list. Test scores, if there is a test list, are reported and
never chosen by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from isogloss.io.config import read_description
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath
from isogloss.learn.learner import Learner, Track, no_track
from isogloss.learn.problem import Problem
from isogloss.metric.significance import paired_bootstrap
from isogloss.nbest.edit import best_rows
from isogloss.rerank.comparison import FeatureTable, SweepRow, compare, learning_curves
from isogloss.rerank.curves import CurvePoint, decoder_score
from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.train import train_model

__all__ = ["Experiment", "RerankingTask", "TestScore", "read_options", "run_experiment"]

Features = Sequence[tuple[str, FeatureFunction]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingTask:
    """What a configuration file may say; names of files are relative to where the command runs."""

    list: str
    """Development list."""
    references: tuple[str, ...]
    features: tuple[str, ...]
    """Feature functions, each judged alone and in sets."""
    source: str | None = None
    test_list: str | None = None
    test_references: tuple[str, ...] = ()
    test_source: str | None = None
    methods: tuple[str, ...] = ("mert", "splitting", "ordinal", "expected-bleu")
    single_method: str = "expected-bleu"
    """What judges features alone and selects them."""
    metric: str = "bleu"
    tokenize: str = "none"
    start: str = "zero"
    folds: int = 5
    seed: int = 1
    best_count: int = 4
    """Features of the set ``best``: those with the highest single scores."""
    top_gain: float = 0.3
    """Features of the set ``top`` gain at least so much alone."""
    large_gain: float = 0.1
    """Features of the set ``large`` gain at least so much alone."""
    least_gain: float = 0.01
    """Greedy selection stops when no further feature gains as much."""

    def __post_init__(self) -> None:
        if not self.references:
            raise ConfigError("references: at least one file is expected")
        if not self.features:
            raise ConfigError("features: at least one is expected")
        if (self.test_list is None) != (not self.test_references):
            raise ConfigError("test_list and test_references belong together")
        if self.best_count < 1:
            raise ConfigError(f"best_count must be at least 1, got {self.best_count}")


def read_options(path: StrPath) -> RerankingTask:
    """Options from a TOML file."""
    return read_description(RerankingTask, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestScore:
    """A model that learned from the whole development list, on the test list."""

    method: str
    features: str
    score: float
    difference: float
    """From the decoder's choice, the better the higher."""
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """All results."""

    decoder: float
    """The decoder's choice on the development list."""
    test_decoder: float | None
    singles: list[SweepRow]
    """Table 1: the list's columns alone, then with each feature."""
    sets: dict[str, list[str]]
    """Features of each set."""
    rows: list[SweepRow]
    """Table 2, cross-validated."""
    tests: list[TestScore]
    """Table 2 on the test list."""
    curves: dict[tuple[str, str], list[CurvePoint]]

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        curves = [
            {"method": method, "features": features, "points": [asdict(point) for point in points]}
            for (method, features), points in self.curves.items()
        ]
        return {
            "decoder": self.decoder,
            "test_decoder": self.test_decoder,
            "singles": [row.to_dict() for row in self.singles],
            "sets": self.sets,
            "rows": [row.to_dict() for row in self.rows],
            "tests": [asdict(test) for test in self.tests],
            "curves": curves,
        }


BASELINE = "baseline"


def run_experiment(
    options: RerankingTask,
    table: FeatureTable,
    problem: Problem,
    features: Features,
    methods: Sequence[tuple[str, Learner]],
    single: tuple[str, Learner],
    *,
    test: tuple[FeatureTable, Problem] | None = None,
    track: Track = no_track,
    report: Callable[[SweepRow], None] = lambda row: None,
) -> Experiment:
    """Singles, sets, greedy selection, all methods with all sets; ``features`` and methods by their names."""
    sweep_options = SweepOptions(folds=options.folds, seed=options.seed)
    train_options = RerankOptions(start=options.start, seed=options.seed)
    for name, function in features:
        if test is not None and function.belongs_to_list:
            raise ConfigError(
                f"the file of '{name}' belongs to the development list and says nothing of the test list; "
                "leave it out, or leave out test_list"
            )

    def run(methods: Sequence[tuple[str, Learner]], sets: Mapping[str, Sequence[str]]) -> list[SweepRow]:
        chosen = [(name, [dict(features)[one] for one in names]) for name, names in sets.items()]
        return compare(
            table, problem, methods, chosen, train_options, sweep_options, track=track, report=report
        )

    singles = run([single], {BASELINE: [], **{name: [name] for name, _ in features}})
    sets = _threshold_sets(singles, options)
    sets["selected"] = _greedy(singles, lambda names: run([single], {" + ".join(names): names})[0], options)
    rows = run(methods, sets)
    functions = {name: [dict(features)[one] for one in names] for name, names in sets.items()}
    tests = []
    if test is not None:
        for name, chosen in functions.items():
            for method, learner in methods:
                own, other = table.problem(chosen, problem), test[0].problem(chosen, test[1])
                tests.append(_test(method, name, learner, chosen, own, other, train_options, options.seed))
    return Experiment(
        decoder=decoder_score(problem),
        test_decoder=None if test is None else decoder_score(test[1]),
        singles=singles,
        sets=sets,
        rows=rows,
        tests=tests,
        curves=learning_curves(table, problem, methods, list(functions.items()), train_options, test=test),
    )


def _threshold_sets(singles: Sequence[SweepRow], options: RerankingTask) -> dict[str, list[str]]:
    base = singles[0].difference
    gains = {row.features: row.difference - base for row in singles[1:]}
    by_gain = sorted(gains, key=lambda name: -gains[name])
    return {
        BASELINE: [],
        "best": by_gain[: options.best_count],
        "top": [name for name in by_gain if gains[name] >= options.top_gain],
        "large": [name for name in by_gain if gains[name] >= options.large_gain],
    }


def _greedy(
    singles: Sequence[SweepRow], judge: Callable[[list[str]], SweepRow], options: RerankingTask
) -> list[str]:
    """Add the feature that helps most until none does."""
    best = singles[0].difference
    left = [row.features for row in singles[1:]]
    known = {row.features: row.difference for row in singles[1:]}
    chosen: list[str] = []
    while left:
        found = known if not chosen else {name: judge([*chosen, name]).difference for name in left}
        name = max(left, key=lambda one: found[one])
        if found[name] < best + options.least_gain:
            break
        best = found[name]
        chosen.append(name)
        left.remove(name)
    return chosen


def _test(
    method: str,
    name: str,
    learner: Learner,
    functions: Sequence[FeatureFunction],
    problem: Problem,
    test: Problem,
    train_options: RerankOptions,
    seed: int,
) -> TestScore:
    quiet = replace(learner, curve=False) if hasattr(learner, "curve") else learner  # type: ignore[type-var]
    model = train_model(problem, quiet, functions, train_options).model
    chosen = test.choose(model.scores_of(test.store))
    decoder = best_rows(test.store)
    found = paired_bootstrap(test.metric, [test.stats()[decoder]], [test.stats()[chosen]], seed=seed)
    return TestScore(
        method=method,
        features=name,
        score=float(test.metric.score(np.sum(test.stats()[chosen], axis=0))),
        difference=found.difference if test.metric.higher_is_better else -found.difference,
        p_value=found.p_value,
    )
