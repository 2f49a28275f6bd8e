"""``isogloss evaluate``: scores, intervals and tests of translations against references."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.metric import Evaluation, SystemResult, SystemScore

__all__ = ["evaluate"]


def evaluate(
    hypotheses: Annotated[
        list[str],
        Parameter(
            metavar="HYP",
            help="Translations, one per line; '-' is standard input. Several arguments are several systems, "
            "the first is the baseline. Files joined by commas (run1,run2,run3) are runs of one system; "
            "a name that exists as a file is always that file, commas or not.",
            show_default=False,
        ),
    ],
    /,
    *,
    reference: Annotated[
        list[str],
        Parameter(
            metavar="FILE",
            help="References, one per line; give the option once per file. An empty line is a missing "
            "reference.",
            show_default=False,
        ),
    ],
    metrics: Annotated[
        str, Parameter(metavar="LIST", help="Any of bleu, nist, chrf, ter, joined by commas.")
    ] = "bleu,chrf",
    lowercase: Annotated[
        bool, Parameter(name="--lowercase", help="Ignore case. TER does so anyway, as in sacreBLEU.")
    ] = False,
    tokenize: Annotated[
        str,
        Parameter(
            metavar="NAME",
            help="sacreBLEU's tokenizer for BLEU and NIST: 13a, none, intl, zh, ja-mecab, char and others. "
            "Use none if the text is tokenised already.",
        ),
    ] = "13a",
    test: Annotated[
        str | None,
        Parameter(
            metavar="NAME",
            help="Test of each system against the first: bootstrap (one-sided), randomization (two-sided) "
            "or none.",
            show_default="bootstrap",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        Parameter(
            metavar="N",
            help="Draws or trials of the test.",
            show_default="1000 for bootstrap, 10000 for randomization",
        ),
    ] = None,
    seed: Annotated[int, Parameter(metavar="N", help="Seed of all random draws.")] = 1,
    worst: Annotated[
        int,
        Parameter(
            metavar="K", help="Show the K sentences that differ most from the baseline, by sentence BLEU."
        ),
    ] = 0,
    json: Annotated[bool, Parameter(name="--json", help="Print all results as one JSON document.")] = False,
) -> None:
    """Score translations against references, with confidence intervals and significance tests.

    BLEU, chrF and TER are sacreBLEU's and come with its signatures.
    """
    if len(hypotheses) == 1 and (worst or test not in (None, "none")):
        raise ConfigError(
            f"{'--worst' if worst else '--test'} compares systems: give at least two, the baseline first"
        )
    files = [_runs(argument) for argument in hypotheses]
    if sum(runs.count("-") for runs in files) + reference.count("-") > 1:
        raise ConfigError("standard input ('-') can be read only once")

    from isogloss.metric import EvaluateOptions, References, SystemOutput
    from isogloss.metric import evaluate_systems as run

    options = EvaluateOptions(
        metrics=tuple(name.strip().lower() for name in metrics.split(",")),
        lowercase=lowercase,
        tokenize=tokenize,
        test=test or "bootstrap",
        samples=samples,
        seed=seed,
        worst=worst,
    )
    references = References.read(reference)
    systems = [SystemOutput.read(runs, name) for runs, name in zip(files, hypotheses, strict=True)]
    result = run(systems, references, options, progress=console.track)
    for warning in result.warnings:
        console.warn(warning)
    if json:
        console.print_json(result.to_dict())
    else:
        _print(result)


def _runs(argument: str) -> list[str]:
    if Path(argument).exists() or "," not in argument:
        return [argument]
    runs = argument.split(",")
    if not all(runs):
        raise ConfigError(f"'{argument}' names an empty file between its commas")
    return runs


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
