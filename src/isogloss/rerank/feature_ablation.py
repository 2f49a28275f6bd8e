"""What each feature of a reranker is worth: its weight, and the score without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from isogloss.io.progress import Track, as_track
from isogloss.io.text_lines import TextLines
from isogloss.learn.problem import Problem
from isogloss.metric.references import ReferencesLike
from isogloss.nbest import NbestLike, as_nbest
from isogloss.nbest.store import DenseGroup
from isogloss.report import Rows
from isogloss.report.rows import Row
from isogloss.rerank.comparison import cross_validate
from isogloss.rerank.length_ratios import length_ratio
from isogloss.rerank.methods import parse_method
from isogloss.rerank.naming import Features, as_functions
from isogloss.rerank.options import RerankOptions, SweepOptions
from isogloss.rerank.preparation import context_of, list_problem, with_decoder_score
from isogloss.rerank.train import prepare_context, train_model

__all__ = ["Ablation", "AblationRow", "ablation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """One column."""

    feature: str
    weight: float
    """Weight of the scaled feature in a model of all: how much it matters among the others."""
    score: float
    """Cross-validated score without it."""
    loss: float
    """What leaving it out costs; negative if it is better so."""
    length_ratio: float | None = None
    """Words of the choice per word of the references; None if the metric does not count words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation(Rows):
    """The score with all features, and without each of them, the greatest loss first."""

    metric: str
    score: float
    """Cross-validated score with all."""
    results: tuple[AblationRow, ...]
    length_ratio: float | None = None
    """Words of the choice with all features per word of the references."""

    def rows(self) -> list[Row]:
        """One row per feature."""
        return [asdict(row) for row in self.results]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "metric": self.metric,
            "score": self.score,
            "length_ratio": self.length_ratio,
            "rows": self.rows(),
        }


def ablation(
    nbest: NbestLike,
    references: ReferencesLike | None = None,
    *,
    source: TextLines | None = None,
    features: Features = (),
    method: str = "expected-bleu",
    metric: str = "bleu",
    tokenize: str = "none",
    train_options: RerankOptions | None = None,
    options: SweepOptions | None = None,
    threads: int = 1,
    progress: bool | Track = False,
    report: Callable[[AblationRow], None] = lambda row: None,
) -> Ablation:
    """Leave out one column at a time, and cross-validate. Sparse features stay."""
    track, options, train_options = (
        as_track(progress),
        options or SweepOptions(),
        train_options or RerankOptions(),
    )
    listed = as_nbest(nbest, source=source, references=references)
    functions = with_decoder_score(as_functions(features), listed.store, train_options)
    context = context_of(listed, threads=threads, track=track)
    assembled = prepare_context(context, functions, columns=train_options.columns)
    problem = list_problem(listed, assembled, metric=metric, tokenize=tokenize, track=track)
    learner = parse_method(method)

    def score(of: Problem) -> tuple[float, float | None]:
        chosen, _ = cross_validate(of, learner, [], train_options, options)
        return of.score_of_rows(chosen), length_ratio(of, chosen)

    (whole, ratio), weights = score(problem), train_model(problem, learner, [], train_options).model.weights()
    rows = []
    names = problem.dense_names
    for name in track(names, "leaving out", len(names)) if len(names) > 1 else ():
        kept = [place for place, other in enumerate(names) if other != name]
        store = replace(
            assembled,
            dense_groups=tuple(DenseGroup(names[place], 1) for place in kept),
            dense=np.ascontiguousarray(assembled.dense[:, kept]),
        )
        without, length = score(Problem(store, problem.metric, problem.statistics))
        sign = 1 if problem.metric.higher_is_better else -1
        rows.append(
            AblationRow(
                feature=name,
                weight=weights.get(name, 0.0),
                score=problem.reported(without),
                loss=sign * (problem.reported(whole) - problem.reported(without)),
                length_ratio=length,
            )
        )
        report(rows[-1])
    rows.sort(key=lambda row: -row.loss)
    return Ablation(
        metric=problem.metric.name, score=problem.reported(whole), results=tuple(rows), length_ratio=ratio
    )
