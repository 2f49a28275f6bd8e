"""Scores of one or several systems on a test set, with significance tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from typing import Any, cast

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, as_track
from isogloss.io.text_lines import TextLines, text_lines
from isogloss.metric.bleu import SENTENCE_BLEU, Bleu, bleu_scores
from isogloss.metric.interface import FloatArray, Metric, Statistics
from isogloss.metric.nist import Nist
from isogloss.metric.options import EvaluateOptions, TestName
from isogloss.metric.references import References, ReferencesLike, as_references
from isogloss.metric.sacre import sacre_bleu, sacre_chrf, sacre_ter
from isogloss.metric.significance import (
    Comparison,
    Interval,
    approximate_randomization,
    bootstrap_comparison,
    bootstrap_interval,
    bootstrap_scores,
)
from isogloss.metric.system_output import SystemOutput
from isogloss.report import Rows
from isogloss.report.rows import Row

__all__ = [
    "EvaluateOptions",
    "Evaluation",
    "SentenceDifference",
    "SystemOutput",
    "SystemResult",
    "SystemScore",
    "evaluate",
    "evaluate_systems",
]

_SHORT_NAMES = {"BLEU": "bleu", "NIST": "nist", "chrF2": "chrf", "TER": "ter"}
_INTERVAL_SAMPLES = 1000
_DEFAULT_SAMPLES = {"bootstrap": 1000, "randomization": 10_000, "none": 0}
_TOKENIZED_LINES = 100  # sacreBLEU warns at the same number of lines that end in a tokenized period


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """A system under one metric."""

    metric: str
    higher_is_better: bool
    score: float
    """The mean over the runs."""
    runs: tuple[float, ...]
    deviation: float | None
    """Standard deviation over the runs, with n-1; None for a single run."""
    interval: Interval
    comparison: Comparison | None
    """Comparison with the baseline; None for the baseline itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceDifference:
    """A sentence on which two systems differ in quality. Scores are sentence BLEU, 0 to 100."""

    line: int
    baseline_score: float
    system_score: float
    baseline: str
    system: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """All results of a system."""

    name: str
    scores: tuple[SystemScore, ...]
    zero_bleu: tuple[int, ...]
    """Per run, the number of sentences whose BLEU is zero without smoothing."""
    differences: tuple[SentenceDifference, ...]
    """Differences from the baseline, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Rows):
    """Scores of systems, with intervals and tests; the rows are systems by metrics."""

    sentences: int
    signatures: dict[str, str]
    """Signatures by metric."""
    systems: tuple[SystemResult, ...]
    warnings: tuple[str, ...]

    def score(self, metric: str = "bleu", system: str | None = None) -> float:
        """The score by a metric of the first system, or of the named one."""
        found = [one for one in self.systems if system is None or one.name == system]
        if not found:
            names = ", ".join(one.name for one in self.systems)
            raise ConfigError(f"no system is called '{system}'; there are: {names}")
        for score in found[0].scores:
            if metric.lower() in (score.metric.lower(), _SHORT_NAMES.get(score.metric)):
                return score.score
        raise ConfigError(f"there is no score of '{metric}'; there are: {', '.join(self.signatures)}")

    def rows(self) -> list[Row]:
        """Rows with system, metric, score, interval and test."""
        return [
            {
                "system": system.name,
                "metric": score.metric,
                "score": score.score,
                "low": score.interval.low,
                "high": score.interval.high,
                "deviation": score.deviation,
                "difference": None if score.comparison is None else score.comparison.difference,
                "p_value": None if score.comparison is None else score.comparison.p_value,
            }
            for system in self.systems
            for score in system.scores
        ]

    def to_dict(self) -> dict[str, Any]:
        """All results as plain values."""
        return asdict(self)


def evaluate_systems(
    systems: Sequence[SystemOutput],
    references: References,
    options: EvaluateOptions | None = None,
    *,
    metrics: Sequence[Metric] | None = None,
    progress: Track | None = None,
) -> Evaluation:
    """Score systems and compare each with the first, by the metrics of the options or those given.

    ``progress`` is called around loops that may take long.

    >>> references = References([["the cat sat on the mat", "a dog barked"]])
    >>> base = SystemOutput("base", (["the cat is on the mat", "the dog barked"],))
    >>> better = SystemOutput("better", (["the cat sat on the mat", "the dog barked"],))
    >>> result = evaluate_systems([base, better], references, EvaluateOptions(metrics=("bleu",)))
    >>> [round(system.scores[0].score, 1) for system in result.systems]
    [34.9, 88.4]
    """
    options = options or EvaluateOptions()
    options.check_systems(len(systems))
    if not systems:
        raise ConfigError("there is no system to evaluate")
    for system in systems:
        system.check(references)
    if metrics is None:
        metrics = [_metric(name, options, progress) for name in options.metrics]
    by_metric = [_scores(metric, systems, references, options) for metric in metrics]
    sentence_bleu = Bleu(tokenize=options.tokenize, lowercase=options.lowercase)
    rows = [[sentence_bleu.statistics(run, references) for run in system.runs] for system in systems]
    return Evaluation(
        sentences=len(references),
        signatures={metric.name: metric.signature(references) for metric in metrics},
        systems=tuple(
            SystemResult(
                name=system.name,
                scores=tuple(scores[i] for scores in by_metric),
                zero_bleu=tuple(sentence_bleu.zero_sentences(run) for run in rows[i]),
                differences=_differences(systems[0], system, rows[0], rows[i], references, options.worst),
            )
            for i, system in enumerate(systems)
        ),
        warnings=tuple(_warnings(systems, options)),
    )


SystemText = TextLines | Iterable[TextLines]
"""The output of a system: a file or a list of sentences; or several of them, one for each run."""


def evaluate(
    hypothesis: SystemText | Mapping[str, SystemText] | Sequence[SystemOutput],
    references: ReferencesLike,
    *,
    metrics: str | Iterable[str | Metric] = ("bleu", "chrf"),
    tokenize: str = "13a",
    lowercase: bool = False,
    test: TestName | None = None,
    samples: int | None = None,
    worst: int = 0,
    seed: int = 1,
    options: EvaluateOptions | None = None,
    progress: bool | Track = False,
) -> Evaluation:
    """Score translations against references, with confidence intervals and significance tests.

    ``hypothesis`` is a file, a list of sentences, or a dictionary of systems by name, the first of which is
    the baseline for the tests. A list of files (``Path`` objects) or of lists is several runs of one system.
    ``references`` is a file, or has a string or a list of strings for each sentence. ``metrics`` are any of
    ``bleu``, ``nist``, ``chrf``, ``ter``, and ``Metric`` objects; BLEU, chrF and TER are sacreBLEU's and come
    with its signatures. The other keywords are the fields of ``EvaluateOptions``, which can be given as
    ``options`` instead.

    >>> references = ["the cat sat on the mat", "a dog barked"]
    >>> result = evaluate(["the cat is on the mat", "a dog barked"], references, metrics="bleu")
    >>> round(result.score("bleu"), 1)
    45.4
    >>> result[0]["metric"], result[0]["low"] <= result[0]["high"]
    ('BLEU', True)
    >>> systems = {"old": ["the cat is on a mat", "dog"], "new": references}
    >>> [row["system"] for row in evaluate(systems, references, metrics=["bleu", "ter"])]
    ['old', 'old', 'new', 'new']
    """
    asked = [name.strip() for name in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    named = tuple(one.lower() for one in asked if isinstance(one, str))
    given = EvaluateOptions(
        metrics=named if named or not asked else EvaluateOptions().metrics,
        tokenize=tokenize,
        lowercase=lowercase,
        test=test,
        samples=samples,
        worst=worst,
        seed=seed,
    )
    if options is not None:
        if given != EvaluateOptions() or len(named) < len(asked):
            raise ConfigError("give either options or its fields as keywords, not both")
        given, asked = options, list(options.metrics)
    track = as_track(progress)
    return evaluate_systems(
        _systems(hypothesis),
        as_references(references),
        given,
        metrics=[one if isinstance(one, Metric) else _metric(one.lower(), given, track) for one in asked],
        progress=track,
    )


def _systems(
    hypothesis: SystemText | Mapping[str, SystemText] | Sequence[SystemOutput],
) -> list[SystemOutput]:
    if isinstance(hypothesis, Mapping):
        return [_system(str(name), output) for name, output in hypothesis.items()]
    if isinstance(hypothesis, str | PathLike):
        return [_system("hypothesis", hypothesis)]
    items = list(hypothesis)
    if items and all(isinstance(item, SystemOutput) for item in items):
        return cast(list[SystemOutput], items)
    return [_system("hypothesis", cast(SystemText, items))]


def _system(name: str, output: SystemText) -> SystemOutput:
    if isinstance(output, str | PathLike):
        return SystemOutput(name, (text_lines(output, name),), (fspath(output),))
    items = list(output)
    if items and all(isinstance(item, PathLike) for item in items):
        return SystemOutput.read(cast(list[PathLike[str]], items), name)
    if items and not any(isinstance(item, str) for item in items):
        return SystemOutput(name, tuple(text_lines(run, name) for run in cast(list[list[str]], items)))
    return SystemOutput(name, (text_lines(cast(list[str], items), name),))


def _metric(name: str, options: EvaluateOptions, progress: Track | None) -> Metric:
    tokenize, lowercase = options.tokenize, options.lowercase
    match name:
        case "bleu":
            return sacre_bleu(tokenize=tokenize, lowercase=lowercase)
        case "nist":
            return Nist(tokenize=tokenize, lowercase=lowercase)
        case "chrf":
            return sacre_chrf(lowercase=lowercase, progress=progress)
        case _:
            return sacre_ter(progress=progress)


def _scores(
    metric: Metric, systems: Sequence[SystemOutput], references: References, options: EvaluateOptions
) -> list[SystemScore]:
    rows = [[metric.statistics(run, references) for run in system.runs] for system in systems]
    test = options.test or "bootstrap"
    samples = options.samples or _DEFAULT_SAMPLES[test]
    draws = samples if test == "bootstrap" else _INTERVAL_SAMPLES
    resampled = bootstrap_scores(metric, rows, samples=draws, seed=options.seed)

    def compare(i: int) -> Comparison | None:
        if i == 0 or test == "none":
            return None
        if test == "bootstrap":
            return bootstrap_comparison(
                metric, rows[0], rows[i], resampled[:, 0], resampled[:, i], options.seed
            )
        return approximate_randomization(metric, rows[0], rows[i], samples=samples, seed=options.seed)

    results = []
    for i, runs in enumerate(rows):
        scores = tuple(metric.score(run.sum(axis=0)) for run in runs)
        results.append(
            SystemScore(
                metric=metric.name,
                higher_is_better=metric.higher_is_better,
                score=float(np.mean(scores)),
                runs=scores,
                deviation=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                interval=bootstrap_interval(resampled[:, i]),
                comparison=compare(i),
            )
        )
    return results


def _sentence_scores(runs: Sequence[Statistics]) -> FloatArray:
    return np.asarray(100 * np.mean([bleu_scores(run, SENTENCE_BLEU) for run in runs], axis=0))


def _differences(
    baseline: SystemOutput,
    system: SystemOutput,
    baseline_rows: Sequence[Statistics],
    system_rows: Sequence[Statistics],
    references: References,
    count: int,
) -> tuple[SentenceDifference, ...]:
    if count == 0 or system is baseline:
        return ()
    before, after = _sentence_scores(baseline_rows), _sentence_scores(system_rows)
    size = np.abs(after - before)
    largest = np.argsort(-size, kind="stable")[:count]
    return tuple(
        SentenceDifference(
            line=int(i) + 1,
            baseline_score=float(before[i]),
            system_score=float(after[i]),
            baseline=baseline.runs[0][i],
            system=system.runs[0][i],
            references=tuple(references.of(int(i))),
        )
        for i in largest
        if size[i] > 0
    )


def _warnings(systems: Sequence[SystemOutput], options: EvaluateOptions) -> list[str]:
    if options.tokenize in ("none", "char"):
        return []
    return [
        f"{count:,} lines of {system.name} end in ' .': if the text is tokenized already, "
        "score it with tokenize='none' (--tokenize none)"
        for system in systems
        if (count := sum(line.endswith(" .") for line in system.runs[0])) >= _TOKENIZED_LINES
    ]
