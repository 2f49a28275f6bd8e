"""Tune weights on an n-best list of any system, with checks and several runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.learn.constraints import Constraints
from isogloss.learn.learner import Learned, Learner, LearningStep
from isogloss.learn.problem import Problem
from isogloss.learn.registry import make_learner
from isogloss.learn.validation import check_problem, check_weights_learned
from isogloss.metric import Metric, References
from isogloss.metric.interface import FloatArray
from isogloss.metric.named import metric_named
from isogloss.nbest import NbestStore, read_nbest

__all__ = ["Tuned", "TuningRun", "tune_nbest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningRun:
    """One run of a learner. Scores are on the metric's own scale."""

    seed: int
    score: float
    held_out_score: float | None
    weights: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """The weights of the best run and their scores, on the metric's own scale."""

    weights: dict[str, float]
    metric: str
    score: float
    """Score of the candidates that the weights choose."""
    start_score: float
    """Score of the candidates that the start weights choose."""
    held_out_score: float | None
    mean: float
    """Mean score of all runs, on held-out data if given."""
    deviation: float | None
    """Their standard deviation, with n - 1; None for a single run."""
    runs: tuple[TuningRun, ...]
    history: tuple[LearningStep, ...]
    """Learning curve of the best run; higher scores are better, percentages are in 0 to 1."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def tune_nbest(
    nbest: NbestStore | StrPath,
    references: References | Sequence[StrPath] | None = None,
    *,
    method: str | Learner = "mert",
    metric: str | Metric = "bleu",
    quality: Sequence[float] | FloatArray | None = None,
    start: Mapping[str, float] | None = None,
    held_out: Problem | None = None,
    constraints: Constraints | None = None,
    runs: int = 1,
    seed: int = 1,
    threads: int = 1,
    track: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
) -> Tuned:
    """Tune weights on an n-best list.

    ``method`` is the name of a learner, optionally with options (``batch-mira:iterations=30``), or a learner
    itself; see ``isogloss.learn.learner_names(decoder=False)``. ``metric`` is bleu, nist, chrf, ter or a
    metric. Instead of references, you can give the ``quality`` of every candidate; higher is better. Learning
    starts from ``start``, or from the weights that best explain the list's own scores. With several ``runs``
    (seeds ``seed``, ``seed + 1``, …), the best one, on ``held_out`` if given, is returned with the mean and
    deviation of all.

    >>> from isogloss.nbest.synthetic import make_nbest
    >>> lines = [f"line {i} of a text about {i * 7} things" for i in range(60)]
    >>> nbest = make_nbest([line.split() for line in lines], candidates=20, seed=1)
    >>> tuned = tune_nbest(nbest, References([lines]), method="batch-mira")
    >>> tuned.metric, tuned.score > tuned.start_score
    ('BLEU', True)
    """
    problem = problem_of(nbest, references, metric=metric, quality=quality)
    learner = method
    if isinstance(learner, str):
        given = {} if constraints is None else {"constraints": constraints}
        learner = make_learner(learner, given, usual={"threads": threads}, warn=warn)
    elif constraints is not None:
        raise ConfigError("pass the constraints to the learner itself")
    return tune_problem(problem, learner, start=start, held_out=held_out, runs=runs, seed=seed, track=track)


def problem_of(
    nbest: NbestStore | StrPath,
    references: References | Sequence[StrPath] | None,
    *,
    metric: str | Metric = "bleu",
    quality: Sequence[float] | FloatArray | None = None,
) -> Problem:
    """The learning problem of a list with references or given qualities."""
    store = nbest if isinstance(nbest, NbestStore) else read_nbest(nbest)
    if (references is None) == (quality is None):
        raise ConfigError("give either references or the quality of every candidate")
    if quality is not None:
        return Problem.of_quality(store, quality)
    known = references if isinstance(references, References) else References.read(list(references or ()))
    return Problem.of(store, known, metric_named(metric) if isinstance(metric, str) else metric)


def tune_problem(
    problem: Problem,
    learner: Learner,
    *,
    start: Mapping[str, float] | None = None,
    held_out: Problem | None = None,
    runs: int = 1,
    seed: int = 1,
    track: Track = no_track,
) -> Tuned:
    """Run a learner once or several times; raise an error if the weights are unusable."""
    if runs < 1:
        raise ConfigError(f"runs must be at least 1, got {runs}")
    if runs > 1 and not hasattr(learner, "seed"):
        raise ConfigError("the learner has no seed, so all runs would be the same; set runs to 1")
    warnings = check_problem(problem)
    begin = problem.decoder_weights() if start is None else _known(start, problem)
    found: list[Learned] = []
    for number in range(runs):
        seeded: Any = learner
        if hasattr(learner, "seed"):
            seeded = replace(seeded, seed=seed + number)
        found.append(seeded.learn(problem, begin, held_out=held_out, track=track))
        check_weights_learned(problem, found[-1].weights)
    aims = [one.score if one.held_out_score is None else one.held_out_score for one in found]
    best = found[max(range(runs), key=lambda number: aims[number])]
    start_score = problem.score_of(begin)
    if best.score < start_score:
        warnings.append("on this list the start weights are better than what was learned")
    reported = [problem.reported(aim) for aim in aims]
    return Tuned(
        weights=best.weights,
        metric=problem.metric.name,
        score=problem.reported(best.score),
        start_score=problem.reported(start_score),
        held_out_score=None if best.held_out_score is None else problem.reported(best.held_out_score),
        mean=statistics.fmean(reported),
        deviation=statistics.stdev(reported) if runs > 1 else None,
        runs=tuple(
            TuningRun(
                seed=seed + number,
                score=problem.reported(one.score),
                held_out_score=None if one.held_out_score is None else problem.reported(one.held_out_score),
                weights=one.weights,
            )
            for number, one in enumerate(found)
        ),
        history=best.history,
        warnings=tuple(warnings),
    )


def _known(start: Mapping[str, float], problem: Problem) -> dict[str, float]:
    """Start weights; all dense weights must be given, and all must be finite."""
    missing = [name for name in problem.dense_names if name not in start]
    unknown = sorted(start.keys() - set(problem.dense_names) - set(problem.sparse_names))
    if missing or unknown:
        what = f"no start weight for {', '.join(missing)}"
        if not missing:
            what = f"no feature is called {unknown[0]}"
        raise ConfigError(f"{what}; the list has the dense features {', '.join(problem.dense_names)}")
    broken = [name for name, weight in start.items() if not abs(weight) < float("inf")]
    if broken:
        raise ConfigError(f"the start weight of '{broken[0]}' is {start[broken[0]]}, not a finite number")
    return dict(start)
