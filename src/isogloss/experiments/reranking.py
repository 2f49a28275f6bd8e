"""The experiment of Shen et al. 2004 on any lists: Tables 1 and 2, Figures 2 to 9.

Each feature is first evaluated alone in addition to the list's own columns. Sets of features are made from
these single scores, one more by greedy forward selection, and others are named; every method then learns from
every set. All choices are made by cross-validation on the development list. Scores on the test list, if there
is one, are only reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from isogloss.experiments.kept import Kept
from isogloss.experiments.presets import Preset
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, NamesFiles, Options
from isogloss.io.progress import Track, no_track
from isogloss.learn.learner import Learner
from isogloss.learn.online_reranker import OnlineLearner
from isogloss.learn.problem import Problem
from isogloss.learn.registry import canonical_method, make_learner
from isogloss.metric.significance import paired_bootstrap
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows
from isogloss.rerank.comparison import FeatureTable, SweepRow, compare, watching
from isogloss.rerank.curves import CurvePoint, decoder_score
from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.model import RerankModel
from isogloss.rerank.naming import as_functions
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.preparation import context_of, list_problem, list_warnings
from isogloss.rerank.train import train_model

__all__ = ["RerankingResults", "RerankingTask", "TestScore", "reranking_results"]

Features = Sequence[tuple[str, FeatureFunction]]

METHODS: dict[str, tuple[str, ...]] = {
    "paper": (
        "mert",
        "splitting:iterations=10000,good=300,bad=300,average=no",
        "ordinal:iterations=10000,ratio=2,gap=20,average=no",
    ),
    "best": ("mert", "splitting", "ordinal", "expected-bleu"),
}
"""The paper prints k = 300 bad candidates of 1000, but neither the number of good ones nor τ."""
SINGLE_METHODS = {"paper": "mert", "best": "expected-bleu"}
BEST_FEATURE = ("model1", "brackets", "quotes", "factor-lm")
"""The functions of the paper's set Best Feature, besides its baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingTask(Options):
    """The data and the settings. File names, also in features, are relative to the TOML file."""

    preset: Preset = "paper"
    """Methods and their settings: of the paper, or those that win on held-out text (``best``)."""
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
    test_tags: Annotated[tuple[str, ...], NamesFiles()] = ()
    """Tags of the test list's candidates: one file for each feature with tags, in the order of features, or
    one for all."""
    methods: Annotated[tuple[str, ...], DefaultText("those of the preset")] = ()
    """Methods to compare; options may follow a name: ``splitting:iterations=20``."""
    single_method: Annotated[str, DefaultText("mert for the preset paper, else expected-bleu")] = ""
    """Method for evaluating single features and selecting them."""
    sets: Annotated[Mapping[str, tuple[str, ...]], NamesFiles()] = field(default_factory=dict)
    """Named sets of features besides those that are made: lists of features."""
    made_sets: tuple[str, ...] = ("baseline", "best", "top", "large", "selected")
    """Sets to make: the list's columns (``baseline``), ``best``, ``top``, ``large``, and ``selected``."""
    validate: Annotated[bool | None, DefaultText("no for the preset paper with a test list, else yes")] = None
    """Cross-validate every method with every set. The paper trains each once and scores the test list."""
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
    """Size of the set ``best``: the features with the highest single scores. The preset paper takes Model 1,
    matched brackets and quotation marks, and the language model of tags instead, as far as they are there."""
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
        for name in self.made_sets:
            if name not in MADE_SETS:
                raise ConfigError(f"no set is called '{name}'; made sets are {', '.join(MADE_SETS)}")
        for name, chosen in self.sets.items():
            for feature in chosen:
                if feature not in self.features:
                    raise ConfigError(f"the set '{name}' has '{feature}', which is not one of the features")

    @property
    def compared(self) -> tuple[str, ...]:
        """The methods to compare."""
        return self.methods or METHODS[self.preset]

    @property
    def judge(self) -> str:
        """The method for single features."""
        return self.single_method or SINGLE_METHODS[self.preset]

    @property
    def validates(self) -> bool:
        """Whether methods with sets are cross-validated."""
        if self.validate is None:
            return self.preset == "best" or self.test_list is None
        return self.validate or self.test_list is None


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
    """Table 2, cross-validated; empty if this is left out."""
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
MADE_SETS = (BASELINE, "best", "top", "large", "selected")


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
    kept: Kept,
    *,
    threads: int = 1,
    warn: Callable[[str], None] = lambda message: None,
    track: Track = no_track,
    report: Callable[[str], None] = lambda message: None,
) -> tuple[RerankingResults, str]:
    """Read the lists and run what is not ``kept``; return the results and the name of the metric."""
    methods = [_method(name, warn) for name in options.compared]
    single = _method(options.judge, warn)
    features = [(spec, as_functions([spec])[0]) for spec in options.features]
    test_features = _for_test(features, options.test_tags)
    read = partial(_read_list, task=options, threads=threads, warn=warn, track=track)
    table, problem = read(options.list, options.references, options.source)
    test = None
    if options.test_list is not None:
        test = read(options.test_list, options.test_references, options.test_source, training=table)
    _check_features(table, None if test is None else test[0], features, test_features)
    rows = _Rows(options, kept, table, problem, features, test_features, test, report, track)
    found = _run(options, rows, methods, single)
    return found, problem.metric.name


def _for_test(features: Features, tags: Sequence[str]) -> Features:
    """The features with the tags of the test list."""
    tagged = [name for name, function in features if hasattr(function, "tags")]
    if tags and len(tags) not in (1, len(tagged)):
        raise ConfigError(
            f"test_tags names {len(tags)} files, but {len(tagged)} features have tags; give one file for "
            "each, or one for all"
        )
    files = dict(zip(tagged, tags if len(tags) > 1 else list(tags) * len(tagged), strict=False))
    return [
        (name, replace(function, tags=files[name]) if name in files else function)  # type: ignore[call-arg]
        for name, function in features
    ]


def _check_features(
    table: FeatureTable, test: FeatureTable | None, features: Features, test_features: Features
) -> None:
    """Compute every feature of both lists now, so that no mistake shows after hours; the tables keep them."""
    for (name, function), (_, own) in zip(features, test_features, strict=True):
        if test is not None and function.belongs_to_list:
            raise ConfigError(
                f"the file of '{name}' belongs to the development list and has no values for the test list; "
                "remove the feature or test_list"
            )
        if test is not None and hasattr(function, "tags") and own == function:
            raise ConfigError(f"the tags of '{name}' belong to the development list; give test_tags too")
        table.assembled([function])
        if test is not None:
            test.assembled([own])


def _method(written: str, warn: Callable[[str], None]) -> tuple[str, Learner]:
    return canonical_method(written, decoder=False, warn=warn), make_learner(written)


class _Rows:
    """Computes rows of the tables; each is stored as soon as it is there."""

    def __init__(
        self,
        options: RerankingTask,
        kept: Kept,
        table: FeatureTable,
        problem: Problem,
        features: Features,
        test_features: Features,
        test: tuple[FeatureTable, Problem] | None,
        report: Callable[[str], None],
        track: Track,
    ) -> None:
        self.options, self.table, self.problem, self.features = options, table, problem, features
        self._kept, self._test, self._report, self._track = kept, test, report, track
        self._functions, self._test_functions = dict(features), dict(test_features)
        self._sweep = SweepOptions(folds=options.folds, seed=options.seed)
        self._training = RerankOptions(start=options.start, seed=options.seed)

    @property
    def tests(self) -> bool:
        """Whether there is a test list."""
        return self._test is not None

    def decoder_scores(self) -> tuple[float, float | None]:
        """Scores of the decoder's choice on both lists."""
        return decoder_score(self.problem), None if self._test is None else decoder_score(self._test[1])

    def validated(self, method: tuple[str, Learner], name: str, chosen: Sequence[str]) -> SweepRow:
        """A cross-validated row."""

        def made() -> dict[str, Any]:
            functions = [self._functions[one] for one in chosen]
            (row,) = compare(
                self.table,
                self.problem,
                [method],
                [(name, functions)],
                self._training,
                self._sweep,
                track=self._track,
            )
            self._report(
                f"{row.method}, {row.features}: {row.score:.2f} ({row.difference:+.2f}, p {row.p_value:.3f})"
            )
            return asdict(row)

        found = self._kept.get(["validated", method[0], list(chosen)], made)
        return SweepRow(**{**found, "features": name})

    def trained(
        self, method: tuple[str, Learner], name: str, chosen: Sequence[str]
    ) -> tuple[TestScore | None, list[CurvePoint]]:
        """The test score of a model of the whole development list, and the curve of its training."""

        def made() -> dict[str, Any]:
            tested, points = self._trained(method, name, chosen)
            if tested is not None:
                self._report(
                    f"{method[0]}, {name}, test list: {tested.score:.2f} ({tested.difference:+.2f}, "
                    f"p {tested.p_value:.3f})"
                )
            return {
                "test": None if tested is None else asdict(tested),
                "curve": [asdict(point) for point in points],
            }

        found = self._kept.get(["trained", method[0], list(chosen)], made)
        tested = None if found["test"] is None else TestScore(**{**found["test"], "features": name})
        return tested, [CurvePoint(**point) for point in found["curve"]]

    def _trained(
        self, method: tuple[str, Learner], name: str, chosen: Sequence[str]
    ) -> tuple[TestScore | None, Sequence[CurvePoint]]:
        functions = [self._functions[one] for one in chosen]
        problem, learner = self.table.problem(functions, self.problem), method[1]
        test = None
        if self._test is not None:
            test = self._test[0].problem([self._test_functions[one] for one in chosen], self._test[1])
        training = train_model(
            problem, watching(learner), functions, self._training, watched=test, track=self._track
        )
        curve = training.curve if len(training.curve) > 1 else ()
        if test is None:
            return None, curve
        if not isinstance(learner, OnlineLearner):  # others choose their weights by the data they watch
            quiet = replace(learner, curve=False) if hasattr(learner, "curve") else learner  # type: ignore[type-var]
            training = train_model(problem, quiet, functions, self._training)
        return _test_score(method[0], name, training.model, test, self.options.seed), curve


def _run(
    options: RerankingTask,
    rows: _Rows,
    methods: Sequence[tuple[str, Learner]],
    single: tuple[str, Learner],
) -> RerankingResults:
    """Run single features, sets, greedy selection, and all methods with all sets."""
    names = [name for name, _ in rows.features]
    singles = [
        rows.validated(single, label, chosen)
        for label, chosen in [(BASELINE, []), *((name, [name]) for name in names)]
    ]
    sets = _made_sets(singles, rows.features, options)
    if "selected" in options.made_sets:
        sets["selected"] = _greedy(
            singles, lambda chosen: rows.validated(single, " + ".join(chosen), chosen), options
        )
    sets |= {name: list(chosen) for name, chosen in options.sets.items()}
    cells = [(method, name, chosen) for name, chosen in sets.items() for method in methods]
    trained = [(cell, rows.trained(*cell)) for cell in cells]
    decoder, test_decoder = rows.decoder_scores()
    return RerankingResults(
        decoder=decoder,
        test_decoder=test_decoder,
        singles=singles,
        sets=sets,
        rows=[rows.validated(*cell) for cell in cells] if options.validates else [],
        tests=[tested for _, (tested, _) in trained if tested is not None],
        curves={(method[0], name): points for (method, name, _), (_, points) in trained if points},
    )


def _made_sets(
    singles: Sequence[SweepRow], features: Features, options: RerankingTask
) -> dict[str, list[str]]:
    base = singles[0].difference
    gains = {row.features: row.difference - base for row in singles[1:]}
    by_gain = sorted(gains, key=lambda name: -gains[name])
    best = by_gain[: options.best_count]
    if options.preset == "paper":
        best = [name for name, function in features if function.name in BEST_FEATURE]
    made = {
        BASELINE: [],
        "best": best,
        "top": [name for name in by_gain if gains[name] >= options.top_gain],
        "large": [name for name in by_gain if gains[name] >= options.large_gain],
    }
    return {name: chosen for name, chosen in made.items() if name in options.made_sets}


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


def _test_score(method: str, name: str, model: RerankModel, test: Problem, seed: int) -> TestScore:
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
