"""HTML reports of reranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isogloss.report import Line, Page, line_plot
from isogloss.rerank.comparison import SweepRow
from isogloss.rerank.curves import CurvePoint
from isogloss.rerank.model import RerankModel
from isogloss.rerank.train import RerankTraining

__all__ = [
    "SWEEP_HEAD",
    "add_curves",
    "curve_plot",
    "model_page",
    "sweep_cells",
    "sweep_page",
    "training_page",
]

SWEEP_HEAD = ("method", "features", "cross-validated", "training", "difference", "p", "length", "CPU s")


def sweep_cells(row: SweepRow) -> list[str]:
    """One result as text."""
    return [
        row.method,
        row.features,
        f"{row.score:.2f}",
        f"{row.training_score:.2f}",
        f"{row.difference:+.2f}",
        f"{row.p_value:.3f}",
        "" if row.length_ratio is None else f"{row.length_ratio:.3f}",
        f"{row.seconds:.1f}",
    ]


def sweep_page(
    title: str,
    sentences: int,
    metric: str,
    decoder: float,
    rows: Sequence[SweepRow],
    curves: Mapping[tuple[str, str], Sequence[CurvePoint]],
) -> Page:
    """A table of methods and features, and their learning curves."""
    page = Page(title)
    page.paragraph(f"{sentences:,} sentences; the decoder's choice scores {decoder:.2f} {metric}.")
    page.table(SWEEP_HEAD, [sweep_cells(row) for row in rows])
    add_curves(page, curves, metric)
    return page


def add_curves(page: Page, curves: Mapping[tuple[str, str], Sequence[CurvePoint]], metric: str) -> None:
    """A plot for each method and set of features that has a curve."""
    if curves:
        page.heading("Learning curves")
    for (method, features), points in curves.items():
        page.figure(curve_plot(f"{method}, {features}", points, metric))


def training_page(name: str, trained: RerankTraining) -> Page:
    """The weights of a model and the curve of its training."""
    page = Page(f"A reranker learned by {name}")
    page.paragraph(
        f"{trained.metric} of what was learned from: decoder {trained.decoder_score:.2f}, "
        f"reranked {trained.score:.2f}."
    )
    _add_weights(page, trained.model)
    if len(trained.curve) > 1:
        page.figure(curve_plot("Learning curve", trained.curve, trained.metric))
    return page


def model_page(model: RerankModel) -> Page:
    """The description of a stored model."""
    page = Page("A stored reranker")
    facts = [[str(key), str(value)] for key, value in model.made_with.items()]
    page.table(["made with", "value"], [*facts, ["decision", model.decision]])
    _add_weights(page, model)
    return page


def _add_weights(page: Page, model: RerankModel) -> None:
    weights = model.weights()
    page.heading("Weights of scaled features")
    page.table(["feature", "weight"], [[key, f"{weights[key]:.4f}"] for key in model.feature_names])
    if model.sparse_names:
        page.paragraph(f"and {len(model.sparse_names):,} sparse features")


def curve_plot(title: str, points: Sequence[CurvePoint], metric: str) -> str:
    """Loss on the left, scores on the right, as in Figures 2 to 9 of Shen et al. 2004."""
    lines = [Line("log loss", [(p.iteration, p.log_loss) for p in points if p.log_loss is not None])]
    lines.append(Line(f"{metric}, development", [(p.iteration, p.development) for p in points], True))
    tests = [(p.iteration, p.test) for p in points if p.test is not None]
    if tests:
        lines.append(Line(f"{metric}, test", tests, True))
    return line_plot(
        title,
        [line for line in lines if line.points],
        x_label="iteration",
        y_label="log loss",
        right_label=metric,
    )
