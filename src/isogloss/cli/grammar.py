"""``isogloss grammar``: look into, shrink and exchange rule tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["app"]

app = typer.Typer(help="Look into, shrink and exchange rule tables.", no_args_is_help=True)

TableArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a rule table.")]
OutputArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the new rule table.")]
ScratchOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for intermediate files.",
        show_default="the system's temporary folder",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command()
def show(
    table: TableArgument,
    source: Annotated[
        str, typer.Argument(help="A source side, such as 'das [X,1] haus'; without one, a summary.")
    ] = "",
    limit: Annotated[int, typer.Option(help="Rules to show, most probable first.")] = 10,
    json: JsonOption = False,
) -> None:
    """Show the rules of a source side, or what the table holds."""
    from dataclasses import asdict

    from rich.table import Table

    from isogloss.grammar import RuleTable

    rules = RuleTable.open(table)
    if not source:
        summary = {
            **rules.attributes,
            "rules": len(rules),
            "source_words": len(rules.source_words),
            "target_words": len(rules.target_words),
        }
        if json:
            console.print_json(summary)
            return
        shown = Table("property", "value")
        for name, value in summary.items():
            shown.add_row(name, f"{value:,}" if isinstance(value, int) else str(value))
        console.print_table(shown)
        return
    # Words are separated as in the corpus: by ASCII white space.
    found = rules.lookup([word.decode() for word in source.encode().split()])[:limit]
    if json:
        console.print_json([asdict(rule) for rule in found])
        return
    if not found:
        console.note(f"no rules for '{source}'")
        return
    shown = Table("target", *rules.columns, "links", *(["count"] if found[0].counts else []))
    for rule in found:
        shown.add_row(
            " ".join(rule.target),
            *(f"{value:.3f}" for value in rule.scores.values()),
            " ".join(f"{s}-{t}" for s, t in rule.links),
            *([f"{rule.counts[0]:.3g}"] if rule.counts else []),
        )
    console.print_table(shown)


@app.command("filter")
def filter_(
    table: TableArgument,
    output: OutputArgument,
    text: Annotated[
        list[Path], typer.Option("--for", help="Source sentences that are to be translated; may be repeated.")
    ],
    max_span: Annotated[
        int, typer.Option(help="Widest span, in words, of rules with gaps: the search's own limit or more.")
    ] = 15,
    scratch: ScratchOption = None,
    json: JsonOption = False,
) -> None:
    """Copy only the rules that can match in given sentences."""
    from isogloss.grammar.selection import filter_table
    from isogloss.io.errors import ConfigError

    if max_span < 1:
        raise ConfigError(f"max_span must be at least 1, got {max_span}")
    rules, sides = filter_table(table, output, text, max_span=max_span, scratch=scratch, track=console.track)
    _report_copy(output, rules, sides, json)


@app.command()
def prune(
    table: TableArgument,
    output: OutputArgument,
    source: Annotated[Path, typer.Option(help="Source sentences of the corpus the rules come from.")],
    target: Annotated[Path, typer.Option(help="Target sentences of that corpus.")],
    significance: Annotated[
        str, typer.Option(help="alpha+epsilon (drops pairs seen once), alpha-epsilon, or the least -log p.")
    ] = "alpha+epsilon",
    threads: Annotated[
        int, typer.Option(metavar="N", help="Threads; 0 is all processors. Results do not depend on it.")
    ] = 0,
    scratch: ScratchOption = None,
    json: JsonOption = False,
) -> None:
    """Copy only the rules that are significant by Fisher's exact test."""
    from isogloss.grammar import Significance
    from isogloss.grammar.selection import prune_table

    rules, sides = prune_table(
        table,
        output,
        source,
        target,
        Significance.parse(significance),
        threads=threads,
        scratch=scratch,
        track=console.track,
    )
    _report_copy(output, rules, sides, json)


@app.command("export")
def export_(
    table: TableArgument,
    output: Annotated[
        Path, typer.Argument(metavar="FILE", help="Text file; packed if it ends in .gz or .zst; - prints it.")
    ],
    format: Annotated[
        str,
        typer.Option(metavar="NAME", help="moses: a phrase table; hiero: a grammar, rules may have gaps."),
    ] = "moses",
    reordering: Annotated[
        Path | None, typer.Option(help="File for the Moses reordering table (msd, both directions).")
    ] = None,
) -> None:
    """Write a rule table as text for other tools."""
    from isogloss.grammar.formats import export_rules

    rules = export_rules(table, output, format=format, reordering=reordering, track=console.track)
    console.note(f"{output}: {rules:,} rules")


@app.command("import")
def import_(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="Moses phrase table or Hiero grammar, plain or packed.")
    ],
    output: OutputArgument,
    format: Annotated[
        str,
        typer.Option(metavar="NAME", help="moses: a phrase table; hiero: a grammar, rules may have gaps."),
    ] = "moses",
    reordering: Annotated[
        Path | None, typer.Option(help="Moses reordering table (msd, both directions) for the same rules.")
    ] = None,
    memory: Annotated[
        str, typer.Option(help="Memory to use, such as 500M or 4G; more waits on disk.")
    ] = "1G",
    scratch: ScratchOption = None,
    json: JsonOption = False,
) -> None:
    """Read another tool's rules into a rule table."""
    from dataclasses import asdict

    from isogloss.grammar.formats import import_rules
    from isogloss.io.sizes import parse_size

    report = import_rules(
        path,
        output,
        format=format,
        reordering=reordering,
        memory=parse_size(memory),
        scratch=scratch,
        track=console.track,
    )
    if report.left_out:
        console.warn(
            f"{report.left_out:,} rules were left out: only rules of [X] whose target side is words followed "
            "by gaps can be used"
        )
    if report.without_orientation:
        console.warn(f"{report.without_orientation:,} rules are not in the reordering table")
    if json:
        console.print_json(asdict(report))
        return
    console.note(f"{output}: {report.rules:,} rules with {report.sides:,} source sides")


def _report_copy(output: Path, rules: int, sides: int, json: bool) -> None:
    if json:
        console.print_json({"rules": rules, "sides": sides})
    else:
        console.note(f"{output}: {rules:,} rules with {sides:,} source sides")
