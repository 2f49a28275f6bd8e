"""``isogloss evaluate``: scores, intervals and tests of translations against references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

import isogloss
from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.parameters import Reference
from isogloss.metric import EvaluateOptions, Evaluation, SystemResult, SystemScore, read_systems

__all__ = ["evaluate"]

_GROUPS = {
    "Metric": ("metrics", "tokenize", "lowercase"),
    "Comparison": ("test", "samples", "worst", "seed"),
}


@declares(_GROUPS, options=EvaluateOptions)
def evaluate(
    hypotheses: Annotated[
        list[str],
        Parameter(
            metavar="HYP",
            help="Translations, one per line; - is standard input. Several files are several systems, the "
            "first is the baseline. Files joined by commas (run1,run2) are runs of one system.",
        ),
    ],
    /,
    *,
    reference: Reference,
    options: EvaluateOptions,
    json: Json = False,
) -> None:
    """Score translations against references, with confidence intervals and significance tests.

    BLEU, chrF and TER are sacreBLEU's and come with its signatures. An empty line of a reference is a
    reference that is missing.
    """
    systems, references = read_systems(hypotheses, reference)
    result = isogloss.evaluate(systems, references, options=options, progress=console.track)
    for warning in result.warnings:
        console.warn(warning)
    if json:
        console.print_json(result.to_dict())
    else:
        _print(result)


def _print(result: Evaluation) -> None:
    console.print_table(_score_table(result))
    for metric, signature in result.signatures.items():
        console.print_line(f"{metric}: {signature}")
    for system in result.systems:
        if system.differences:
            _print_differences(result.systems[0], system)


def _score_table(result: Evaluation) -> Table:
    runs = any(len(system.zero_bleu) > 1 for system in result.systems)
    tested = any(score.comparison for system in result.systems for score in system.scores)
    table = Table(title=f"{result.sentences:,} sentences", title_justify="left", box=None, pad_edge=False)
    table.add_column("metric")
    table.add_column("system", overflow="fold")
    for name, wanted in (
        ("score", True),
        ("95% interval", True),
        ("runs", runs),
        ("std. dev.", runs),
        ("difference", tested),
        ("p", tested),
    ):
        if wanted:
            table.add_column(name, justify="right")
    for i, metric in enumerate(result.signatures):
        for j, system in enumerate(result.systems):
            score = system.scores[i]
            label = metric if score.higher_is_better else f"{metric} (low is good)"
            row = _score_row(score, runs=runs, tested=tested)
            table.add_row("" if j else label, system.name, *row)
    for j, system in enumerate(result.systems):
        table.add_row("" if j else "zero BLEU", system.name, _mean(system.zero_bleu))
    return table


def _score_row(score: SystemScore, *, runs: bool, tested: bool) -> list[str]:
    cells = [f"{score.score:.2f}", f"{score.interval.low:.2f} to {score.interval.high:.2f}"]
    if runs:
        cells += [str(len(score.runs)), "" if score.deviation is None else f"{score.deviation:.2f}"]
    if tested and score.comparison is not None:
        cells += [f"{score.comparison.difference:+.2f}", f"{score.comparison.p_value:.4f}"]
    return cells


def _mean(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{sum(counts) / len(counts):.1f}"


def _print_differences(baseline: SystemResult, system: SystemResult) -> None:
    console.print_line(f"\nSentences that differ most between {baseline.name} and {system.name}")
    for found in system.differences:
        console.print_line(
            f"\nline {found.line}: sentence BLEU {found.baseline_score:.1f} -> {found.system_score:.1f}"
        )
        console.print_line(f"  {baseline.name}: {found.baseline}")
        console.print_line(f"  {system.name}: {found.system}")
        for reference in found.references:
            console.print_line(f"  reference: {reference}")
