"""Compare methods and sets of features on a list: the public function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, as_track
from isogloss.io.streams import StrPath
from isogloss.io.text_lines import TextLines
from isogloss.learn.learner import Learner
from isogloss.metric import Metric
from isogloss.metric.references import ReferencesLike
from isogloss.nbest import NbestLike, as_nbest
from isogloss.nbest.build import Numbers
from isogloss.report import Page, Rows
from isogloss.report.rows import Row
from isogloss.rerank.comparison import FeatureTable, SweepRow, compare, learning_curves
from isogloss.rerank.curves import CurvePoint, decoder_score
from isogloss.rerank.features import FeatureFunction
from isogloss.rerank.methods import parse_method
from isogloss.rerank.naming import Features, as_functions
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.preparation import EITHER, context_of, list_problem, list_warnings, with_decoder_score
from isogloss.rerank.report import sweep_page

__all__ = ["Sweep", "sweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep(Rows):
    """Methods with sets of features, cross-validated. Scores are on the metric's own scale."""

    metric: str
    sentences: int
    decoder_score: float
    """The score of the decoder's choice."""
    results: tuple[SweepRow, ...]
    """By sets of features, then by methods."""
    curves: Mapping[tuple[str, str], Sequence[CurvePoint]]
    """Learning curves by method and features, if requested and available."""
    warnings: tuple[str, ...] = ()

    def best(self) -> SweepRow:
        """The result with the highest cross-validated gain; the first in case of ties."""
        return max(self.results, key=lambda row: row.difference)

    def rows(self) -> list[Row]:
        """The results."""
        return [row.to_dict() for row in self.results]

    def to_dict(self) -> dict[str, Any]:
        """Results and curves."""
        curves = [
            {"method": method, "features": features, "points": [asdict(point) for point in points]}
            for (method, features), points in self.curves.items()
        ]
        return {"metric": self.metric, "decoder": self.decoder_score, "rows": self.rows(), "curves": curves}

    def report(self, title: str = "Methods and features") -> Page:
        """An HTML page with the table and the learning curves."""
        return sweep_page(title, self.sentences, self.metric, self.decoder_score, self.results, self.curves)


def sweep(
    nbest: NbestLike,
    references: ReferencesLike | None = None,
    *,
    source: TextLines | None = None,
    quality: Numbers | StrPath | None = None,
    methods: Iterable[str | Learner] = ("expected-bleu",),
    features: Iterable[Features] = (),
    metric: str | Metric = "bleu",
    tokenize: str = "none",
    lowercase: bool = False,
    train_options: RerankOptions | None = None,
    options: SweepOptions | None = None,
    curves: bool = False,
    threads: int = 1,
    progress: bool | Track = False,
    report: Callable[[SweepRow], None] = lambda row: None,
    executor: Executor | None = None,
) -> Sweep:
    """Compare ``methods`` with sets of ``features`` by cross-validation over the sentences of a list.

    The list's own features alone are always the first set. ``report`` is called with each result; ``curves``
    also records the scores of every iteration. A distributed ``executor`` spreads the results over machines.

    >>> from isogloss.nbest import make_nbest
    >>> lines = [f"line {i} of a text about {i * 7} things" for i in range(40)]
    >>> nbest = make_nbest([line.split() for line in lines], candidates=8, seed=1)
    >>> found = sweep(nbest, lines, methods=["expected-bleu", "pro"], features=["popularity"])
    >>> [(row["method"], row["features"]) for row in found[:2]]
    [('expected-bleu', '(list)'), ('pro', '(list)')]
    """
    if references is not None and quality is not None:
        raise ConfigError(EITHER)
    listed, track = as_nbest(nbest, source=source, references=references), as_track(progress)
    train_options = train_options or RerankOptions()
    learners = [
        (one, parse_method(one)) if isinstance(one, str) else (type(one).__name__, one) for one in methods
    ]
    sets = [
        (name, list(with_decoder_score(functions, listed.store, train_options)))
        for name, functions in [("(list)", list[FeatureFunction]()), *(_named_set(one) for one in features)]
    ]
    table = FeatureTable.of(context_of(listed, threads=threads, track=track), train_options.columns)
    problem = list_problem(
        listed, metric=metric, tokenize=tokenize, lowercase=lowercase, quality=quality, track=track
    )
    if not table.columns and listed.store.sparse is None and not sets[0][1]:
        sets = sets[1:]
        if not sets:
            raise ConfigError("the list has no features; name some with features (--features)")
    results = compare(
        table,
        problem,
        learners,
        sets,
        train_options,
        options,
        track=track,
        report=report,
        executor=executor,
    )
    return Sweep(
        metric=problem.metric.name,
        sentences=problem.num_sentences,
        decoder_score=decoder_score(problem),
        results=tuple(results),
        curves=learning_curves(table, problem, learners, sets, train_options) if curves else {},
        warnings=tuple(list_warnings(listed, quality)),
    )


def _named_set(features: Features) -> tuple[str, list[FeatureFunction]]:
    functions = as_functions(features)
    written = features.strip() if isinstance(features, str) else " ".join(one.written() for one in functions)
    return written or "(list)", functions
