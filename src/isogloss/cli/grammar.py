"""``isogloss grammar``: show, filter, prune, import and export rule tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.parameters import Scratch, output_to
from isogloss.grammar import (
    Rule,
    RuleTable,
    Significance,
    TableOrientation,
    TextFormat,
    export_rules,
    filter_table,
    import_rules,
    prune_table,
)
from isogloss.io.resources import MemoryLimit, Threads

__all__ = ["app"]

app = App(name="grammar", help="Show, filter, prune, import and export rule tables.")

RuleFolder = Annotated[Path, Parameter(help="Folder of a rule table.")]
NewTable = Annotated[Path, output_to("Folder for the new rule table.", "FOLDER")]
Format = Annotated[
    TextFormat,
    Parameter(
        metavar="NAME",
        group=heading("Rules"),
        help="moses: a phrase table; hiero: a grammar, whose rules may have non-terminals.",
    ),
]
_INPUT = heading("Input")


@app.command
@declares()
def show(
    table: RuleFolder,
    source: Annotated[str, Parameter(help="A source side, such as 'das [X,1] haus'.")] = "",
    /,
    *,
    limit: Annotated[
        int,
        Parameter(
            metavar="N",
            group=heading("Output"),
            help="Maximum number of rules to show, the most probable first.",
        ),
    ] = 10,
    json: Json = False,
) -> None:
    """Show the rules of a source side or, without one, a summary of the table."""
    rules = RuleTable.open(table)
    if not source:
        summary = rules.summary()
        if json:
            console.print_json(summary)
        else:
            _print_summary(summary)
        return
    found = rules.lookup(source)[:limit]
    if json:
        console.print_json([asdict(rule) for rule in found])
    elif found:
        _print_rules(found, rules.columns)
    else:
        console.note(f"no rules for '{source}'")


def _print_summary(summary: dict[str, Any]) -> None:
    from rich.table import Table

    shown = Table("property", "value")
    for name, value in summary.items():
        shown.add_row(name, f"{value:,}" if isinstance(value, int) else str(value))
    console.print_table(shown)


def _print_rules(rules: list[Rule], columns: tuple[str, ...]) -> None:
    from rich.table import Table

    shown = Table("target", *columns, "links", *(["count"] if rules[0].counts else []))
    for rule in rules:
        shown.add_row(
            " ".join(rule.target),
            *(f"{value:.3f}" for value in rule.scores.values()),
            " ".join(f"{s}-{t}" for s, t in rule.links),
            *([f"{rule.counts[0]:.3g}"] if rule.counts else []),
        )
    console.print_table(shown)


@app.command(name="filter")
@declares()
def filter_(
    table: RuleFolder,
    /,
    output: NewTable,
    *,
    text: Annotated[
        list[Path],
        Parameter(name="--for", metavar="FILE...", group=_INPUT, help="Source sentences to translate."),
    ],
    max_span: Annotated[
        int,
        Parameter(
            metavar="WORDS",
            group=_INPUT,
            help="Widest span of a rule with non-terminals; must be at least the max_span of the search.",
        ),
    ] = 15,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Copy only the rules that match given sentences."""
    rules, sides = filter_table(table, output, text, max_span=max_span, scratch=scratch, track=console.track)
    _report_copy(output, rules, sides, json)


@app.command
@declares({"Resources": ("threads",)}, config=False, resources=Threads)
def prune(
    table: RuleFolder,
    /,
    output: NewTable,
    *,
    source: Annotated[
        Path,
        Parameter(
            metavar="FILE", group=_INPUT, help="Source side of the corpus that the rules were extracted from."
        ),
    ],
    target: Annotated[Path, Parameter(metavar="FILE", group=_INPUT, help="Target side of that corpus.")],
    resources: Threads,
    significance: Annotated[
        str,
        Parameter(
            metavar="LEVEL",
            group=heading("Rules"),
            help="Level: alpha+epsilon (drops pairs seen once), alpha-epsilon (keeps them) or a -log p.",
        ),
    ] = "alpha+epsilon",
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Copy only the rules that are significant by Fisher's exact test."""
    rules, sides = prune_table(
        table,
        output,
        source,
        target,
        Significance.parse(significance),
        threads=resources.count,
        scratch=scratch,
        track=console.track,
    )
    _report_copy(output, rules, sides, json)


def _report_copy(output: Path, rules: int, sides: int, json: bool) -> None:
    if json:
        console.print_json({"rules": rules, "sides": sides})
    else:
        console.note(f"{output}: {rules:,} rules with {sides:,} source sides")


@app.command(name="export")
@declares()
def export_(
    table: RuleFolder,
    /,
    output: Annotated[
        Path,
        output_to("Text file; compressed if it ends in .gz or .zst; - is standard output."),
    ],
    *,
    format: Format = "moses",
    reordering: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            group=heading("Output"),
            help="File for the Moses reordering table (msd, both directions).",
        ),
    ] = None,
) -> None:
    """Export a rule table as text for other tools."""
    rules = export_rules(table, output, format=format, reordering=reordering, track=console.track)
    console.note(f"{output}: {rules:,} rules")


@app.command(name="import")
@declares({"Resources": ("memory_limit",)}, config=False, resources=MemoryLimit)
def import_(
    path: Annotated[Path, Parameter(help="Moses phrase table or Hiero grammar: plain, gzip or zstd.")],
    /,
    output: NewTable,
    *,
    resources: MemoryLimit,
    format: Format = "moses",
    reordering: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            group=_INPUT,
            help="Moses reordering table (msd, both directions) for the same rules.",
        ),
    ] = None,
    orientation: Annotated[
        TableOrientation,
        Parameter(
            metavar="NAME",
            group=_INPUT,
            help="What its orientations are measured against: 'hier' for the type hier-msd… of Moses, "
            "'phrase' for phrase-msd…, 'word' for wbe-msd….",
        ),
    ] = "hier",
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Import a rule table of another tool."""
    report = import_rules(
        path,
        output,
        format=format,
        reordering=reordering,
        orientation=orientation,
        memory_limit=resources.memory_limit,
        scratch=scratch,
        track=console.track,
    )
    if report.left_out:
        console.warn(
            f"{report.left_out:,} rules were left out: only rules of [X] whose target side is words followed "
            "by non-terminals can be used"
        )
    if report.without_orientation:
        console.warn(f"{report.without_orientation:,} rules are not in the reordering table")
    if json:
        console.print_json(asdict(report))
        return
    console.note(f"{output}: {report.rules:,} rules with {report.sides:,} source sides")
