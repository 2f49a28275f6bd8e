"""The experiment of Shen et al. 2004 on any lists: Tables 1 and 2, Figures 2 to 9.

Each feature is first evaluated alone in addition to the list's own columns. Four sets are made by thresholds
on these single scores, and a fifth by greedy forward selection; every method then learns from every set. All
choices are made by cross-validation on the development list. Scores on the test list, if there is one, are
only reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, NamesFiles, Options
from isogloss.io.progress import Track, no_track
from isogloss.learn.learner import Learner
from isogloss.learn.problem import Problem
from isogloss.learn.registry import canonical_method, make_learner
from isogloss.metric.significance import paired_bootstrap
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows
from isogloss.rerank.comparison import FeatureTable, SweepRow, compare, learning_curves
from isogloss.rerank.curves import CurvePoint, decoder_score
from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.naming import as_functions
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.preparation import context_of, list_problem, list_warnings
from isogloss.rerank.train import train_model

__all__ = ["RerankingResults", "RerankingTask", "TestScore", "reranking_results"]

Features = Sequence[tuple[str, FeatureFunction]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingTask(Options):
    """The data and the settings. File names, also in features, are relative to the TOML file."""

    list: Annotated[str, NamesFiles()]
    """Development list, in any format that 'isogloss nbest' reads."""
    references: Annotated[tuple[str, ...], NamesFiles()]
    """References of the development list, one file per translator."""
    features: Annotated[tuple[str, ...], NamesFiles()]
    """Feature functions, evaluated alone and in sets."""
    source: Annotated[str | None, NamesFiles()] = None
    """Source sentences of the development list, for features that need them."""
    test_list: Annotated[str | None, NamesFiles()] = None
    """Test list; its scores are only reported."""
    test_references: Annotated[tuple[str, ...], NamesFiles()] = ()
    """References of the test list."""
    test_source: Annotated[str | None, NamesFiles()] = None
    """Source sentences of the test list."""
    methods: tuple[str, ...] = ("mert", "splitting", "ordinal", "expected-bleu")
    """Methods to compare; options may follow a name: ``splitting:iterations=20``."""
    single_method: str = "expected-bleu"
    """Method for evaluating single features and selecting them."""
    metric: Literal["bleu", "nist", "chrf", "ter"] = "bleu"
    """Metric to optimize and to report."""
    tokenize: str = "none"
    """sacreBLEU's tokenizer for the metric."""
    start: Literal["zero", "decoder"] = "zero"
    """Initial weights: ``zero``, or ``decoder`` for those that best explain the decoder's scores."""
    folds: Annotated[int, AtLeast(2)] = 5
    """Number of folds in cross-validation."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for the folds and the significance tests."""
    best_count: Annotated[int, AtLeast(1)] = 4
    """Size of the set ``best``: the features with the highest single scores."""
    top_gain: float = 0.3
    """Minimum gain of features in the set ``top``, in points of the metric."""
    large_gain: float = 0.1
    """Minimum gain of features in the set ``large``."""
    least_gain: float = 0.01
    """Gain below which the greedy selection of features stops."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if not self.references:
            raise ConfigError("references must name at least one file")
        if not self.features:
            raise ConfigError("features must name at least one feature")
        if (self.test_list is None) != (not self.test_references):
            raise ConfigError("test_list and test_references must be given together")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestScore:
    """The test score of a model trained on the whole development list."""

    method: str
    features: str
    score: float
    difference: float
    """Difference from the decoder's choice; higher is better."""
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingResults:
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

    def to_dict(self) -> dict[str, Any]:
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


def _read_list(
    path: str,
    references: Sequence[str],
    source: str | None,
    task: RerankingTask,
    *,
    training: FeatureTable | None = None,
    threads: int = 1,
    warn: Callable[[str], None] = lambda message: None,
    track: Track = no_track,
) -> tuple[FeatureTable, Problem]:
    """A list with its features; a test list has the columns of the ``training`` list."""
    listed = NbestList.read(path, source=source, references=[Path(name) for name in references])
    for warning in list_warnings(listed):
        warn(warning)
    context = context_of(listed, training=training is None, threads=threads)
    table = FeatureTable.of(context) if training is None else FeatureTable.of(context, training.columns)
    return table, list_problem(listed, metric=task.metric, tokenize=task.tokenize, track=track)


def reranking_results(
    options: RerankingTask,
    *,
    threads: int = 1,
    warn: Callable[[str], None] = lambda message: None,
    track: Track = no_track,
    report: Callable[[SweepRow], None] = lambda row: None,
) -> tuple[RerankingResults, str]:
    """Read the lists and run everything; return the results and the name of the metric."""
    methods = [_method(name, warn) for name in options.methods]
    single = _method(options.single_method, warn)
    features = [(spec, as_functions([spec])[0]) for spec in options.features]
    read = partial(_read_list, task=options, threads=threads, warn=warn, track=track)
    table, problem = read(options.list, options.references, options.source)
    test = None
    if options.test_list is not None:
        test = read(options.test_list, options.test_references, options.test_source, training=table)
    _check_features(table, None if test is None else test[0], features)
    found = _run(options, table, problem, features, methods, single, test=test, track=track, report=report)
    return found, problem.metric.name


def _check_features(table: FeatureTable, test: FeatureTable | None, features: Features) -> None:
    """Compute every feature of both lists now, so that no mistake shows after hours; the tables keep them."""
    for name, function in features:
        if test is not None and function.belongs_to_list:
            raise ConfigError(
                f"the file of '{name}' belongs to the development list and has no values for the test list; "
                "remove the feature or test_list"
            )
        for one in (table, test):
            if one is not None:
                one.assembled([function])


def _method(written: str, warn: Callable[[str], None]) -> tuple[str, Learner]:
    return canonical_method(written, decoder=False, warn=warn), make_learner(written)


def _run(
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
) -> RerankingResults:
    """Run single features, sets, greedy selection, and all methods with all sets."""
    sweep_options = SweepOptions(folds=options.folds, seed=options.seed)
    train_options = RerankOptions(start=options.start, seed=options.seed)

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
    return RerankingResults(
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
