"""Tune weights on an n-best list: the public function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from isogloss.decoder.weights import read_weights
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, as_track
from isogloss.io.streams import StrPath
from isogloss.learn.constraints import Constraints
from isogloss.learn.learner import Learner
from isogloss.learn.nbest_tuning import Tuned, tune_problem
from isogloss.metric import Metric
from isogloss.metric.references import ReferencesLike
from isogloss.nbest import NbestLike, as_nbest
from isogloss.nbest.build import Numbers
from isogloss.report import Rows
from isogloss.report.rows import Row
from isogloss.rerank.methods import parse_method
from isogloss.rerank.options import NbestTuneOptions
from isogloss.rerank.preparation import EITHER, list_problem, list_warnings

__all__ = ["NbestTuning", "tune_nbest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NbestTuning(Tuned, Rows):
    """The weights of the best run and their scores; the rows are the weights."""

    def rows(self) -> list[Row]:
        """Feature and weight."""
        return [{"feature": name, "weight": weight} for name, weight in self.weights.items()]

    def to_dict(self) -> dict[str, Any]:
        """Weights, scores, runs and the learning curve."""
        return asdict(self)


def tune_nbest(
    nbest: NbestLike,
    references: ReferencesLike | None = None,
    *,
    method: str | Learner = "mert",
    metric: str | Metric = "bleu",
    tokenize: str = "none",
    lowercase: bool = False,
    quality: Numbers | StrPath | None = None,
    start: Mapping[str, float] | StrPath | None = None,
    held_out: tuple[NbestLike, ReferencesLike] | None = None,
    constraints: Constraints | None = None,
    runs: int = 1,
    seed: int = 1,
    options: NbestTuneOptions | None = None,
    threads: int = 1,
    progress: bool | Track = False,
) -> NbestTuning:
    """Tune weights on an n-best list.

    The list is an ``NbestList``, a file, lists of strings or a table of columns; references are a file or a
    list of sentences, by default those of the list. Instead of references, you can give the ``quality`` of
    every candidate; higher is better.

    ``method`` is ``mert``, ``batch-mira``, ``pro`` or another learner, with options after a colon
    (``"mert:restarts=5"``), or an object with a method ``learn``; ``metric`` is ``bleu``, ``nist``, ``chrf``,
    ``ter`` or a ``Metric``. Tuning starts from ``start`` (weights, or a file of weights), or from the weights
    that best explain the list's own scores. ``held_out`` is another list with its references, which selects
    the best weights. With several ``runs`` (seeds ``seed``, ``seed + 1``, …), the best one is returned with
    the mean and deviation of all. ``NbestTuneOptions`` has all this and the options of the learners; it can
    be given as ``options`` instead. Results do not depend on ``threads``.

    >>> from isogloss.nbest import make_nbest
    >>> lines = [f"line {i} of a text about {i * 7} things" for i in range(60)]
    >>> nbest = make_nbest([line.split() for line in lines], candidates=20, seed=1)
    >>> tuned = tune_nbest(nbest, lines, method="batch-mira")
    >>> tuned.metric, tuned.score > tuned.start_score
    ('BLEU', True)
    >>> tuned[0]["feature"]
    'Missing'
    """
    if references is not None and quality is not None:
        raise ConfigError(EITHER)
    if quality is not None and held_out is not None:
        raise ConfigError("`held_out` is scored by references: give references, not quality, for both lists")
    track = as_track(progress)
    scorer: str | Metric = metric
    if options is not None:
        asked = (method, metric, tokenize, lowercase, constraints, runs, seed)
        if asked != ("mert", "bleu", "none", False, None, 1, 1):
            raise ConfigError("give either options or its fields as keywords, not both")
        method, runs, seed = options.method, options.runs, options.seed
        scorer, learner = options.make(track), options.learner(threads)
        constraints = None if options.constraints == Constraints() else options.constraints
    else:
        if isinstance(metric, str):
            scorer = Metric.named(metric, tokenize=tokenize, lowercase=lowercase, progress=track)
        learner = parse_method(method) if isinstance(method, str) else method
    listed = as_nbest(nbest, references=references)
    other = None if held_out is None else as_nbest(held_out[0], references=held_out[1])
    tuned = tune_problem(
        list_problem(listed, metric=scorer, quality=quality),
        _told(learner, method, constraints, threads),
        start=start if start is None or isinstance(start, Mapping) else read_weights(start),
        held_out=None if other is None else list_problem(other, metric=scorer),
        runs=runs,
        seed=seed,
        track=track,
    )
    known = {field.name: getattr(tuned, field.name) for field in fields(Tuned)}
    doubts = [*list_warnings(listed, quality), *(() if other is None else list_warnings(other))]
    doubts += [f"{listed.name}: {warning}" for warning in tuned.warnings]
    return NbestTuning(**{**known, "warnings": tuple(doubts)})


def _told(learner: Any, method: str | Learner, constraints: Constraints | None, threads: int) -> Learner:
    """The learner with the additional options."""
    if constraints is not None:
        if not hasattr(learner, "constraints"):
            raise ConfigError(f"the method {_name(method)} takes no constraints; mert, batch-mira and pro do")
        learner = replace(learner, constraints=constraints)
    if threads > 1 and hasattr(learner, "threads"):
        learner = replace(learner, threads=threads)
    return learner  # type: ignore[no-any-return]


def _name(method: str | Learner) -> str:
    return f"'{method}'" if isinstance(method, str) else type(method).__name__
