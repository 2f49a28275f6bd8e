"""HTML reports of reranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isogloss.report import Line, Page, line_plot
from isogloss.rerank.comparison import SweepRow
from isogloss.rerank.curves import CurvePoint
from isogloss.rerank.length_ratios import length_cells, length_text
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

SWEEP_HEAD = (
    "method",
    "features",
    "cross-validated",
    "training",
    "difference",
    "p",
    "length",
    "brevity",
    "CPU s",
)
LEAST_SPAN = 1.0  # of an axis of scores: smaller differences are mostly noise


def sweep_cells(row: SweepRow) -> list[str]:
    """One result as text."""
    return [
        row.method,
        row.features,
        f"{row.score:.2f}",
        f"{row.training_score:.2f}",
        f"{row.difference:+.2f}",
        f"{row.p_value:.3f}",
        *length_cells(row.length_ratio),
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
    """Tables of methods by sets of features, and their learning curves."""
    page = Page(title)
    page.paragraph(f"{sentences:,} sentences; the decoder's choice scores {decoder:.2f} {metric}.")
    for features in dict.fromkeys(row.features for row in rows):
        page.heading(features)
        own = [sweep_cells(row) for row in rows if row.features == features]
        page.table([SWEEP_HEAD[0], *SWEEP_HEAD[2:]], [[cells[0], *cells[2:]] for cells in own])
        _add_curves(page, {method: of for (method, name), of in curves.items() if name == features}, metric)
    return page


def add_curves(page: Page, curves: Mapping[tuple[str, str], Sequence[CurvePoint]], metric: str) -> None:
    """A plot of all methods for each set of features, and a plot for each method with its loss."""
    for features in dict.fromkeys(features for _, features in curves):
        page.heading(f"Learning curves, {features}")
        _add_curves(page, {method: of for (method, name), of in curves.items() if name == features}, metric)


def _add_curves(page: Page, curves: Mapping[str, Sequence[CurvePoint]], metric: str) -> None:
    if not curves:
        return
    lines = [Line(name, [(p.iteration, p.development) for p in points]) for name, points in curves.items()]
    plot = line_plot(
        "Learning from all sentences",
        lines,
        x_label="iteration",
        y_label=f"{metric}, development",
        span=LEAST_SPAN,
    )
    page.figure(plot)
    with page.folded("Each method by itself, with its loss"):
        for method, points in curves.items():
            page.figure(curve_plot(method, points, metric))


def training_page(name: str, trained: RerankTraining) -> Page:
    """The weights of a model and the curve of its training."""
    page = Page(f"A reranker learned by {name}")
    page.paragraph(
        f"{trained.metric} of what was learned from: decoder {trained.decoder_score:.2f}, "
        f"reranked {trained.score:.2f}."
    )
    if trained.validated_score is not None:
        page.paragraph(
            f"In cross-validation: {trained.validated_score:.2f}{length_text(trained.validated_length)}, "
            f"without reranking {trained.list_score:.2f}{length_text(trained.list_length)}."
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
    """Loss on the left, scores on the right, as in Figures 2 to 9 of Shen et al. 2004; without a loss, scores
    only."""
    losses = [(p.iteration, p.log_loss) for p in points if p.log_loss is not None]
    right = bool(losses)
    lines = [Line("log loss", losses)] if losses else []
    lines.append(Line(f"{metric}, development", [(p.iteration, p.development) for p in points], right))
    tests = [(p.iteration, p.test) for p in points if p.test is not None]
    if tests:
        lines.append(Line(f"{metric}, test", tests, right))
    return line_plot(
        title,
        lines,
        x_label="iteration",
        y_label="log loss" if losses else metric,
        right_label=metric if losses else "",
        span=0.0 if losses else LEAST_SPAN,
        right_span=LEAST_SPAN,
    )
