"""``isogloss system``: put together what a translation needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Put together what a translation needs.")


class _Search(StrEnum):
    hierarchical = "hierarchical"
    phrase = "phrase"


@app.callback()
def _system() -> None:
    """Keeps ``create`` a verb of its own while it is the only one."""


@app.command()
def create(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Folder to write.")],
    rules: Annotated[
        str, typer.Option(metavar="DIR", help="Rule table, as 'isogloss extract' writes it; it is copied.")
    ],
    lm: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Language model of the target language: stored folder or ARPA file; it is copied.",
        ),
    ],
    search: Annotated[
        _Search,
        typer.Option(help="hierarchical: rules with gaps, and glue; phrase: plain phrases with jumps."),
    ] = _Search.hierarchical,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Weights, a line per feature: name, tab, number.",
            show_default="the search's own, untuned",
        ),
    ] = None,
    beam_size: Annotated[
        int, typer.Option(metavar="N", help="Hypotheses kept per number of covered words; 0 keeps all.")
    ] = 100,
    pop_limit: Annotated[
        int, typer.Option(metavar="N", help="Extensions tried per number of covered words; 0 tries all.")
    ] = 200,
    distortion_limit: Annotated[
        int,
        typer.Option(metavar="WORDS", help="Longest jump between phrases, widest gap on the left of glue."),
    ] = 6,
    max_span: Annotated[int, typer.Option(metavar="WORDS", help="Widest span of a rule with gaps.")] = 15,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a system for 'isogloss translate' from a rule table and a language model."""
    from dataclasses import asdict

    from isogloss.search import SearchOptions, create_system

    options = SearchOptions(
        hierarchical=search is _Search.hierarchical,
        beam_size=beam_size,
        pop_limit=pop_limit,
        distortion_limit=distortion_limit,
        max_span=max_span,
    )
    made = create_system(system, rules=rules, lm=lm, options=options, weights=weights)
    if json:
        console.print_json({"options": asdict(made.options), "weights": dict(made.weights)})
    else:
        tuned = "the given weights" if weights else "untuned weights"
        console.note(f"{system}: {made.options.search} search, {len(made.weights)} features, {tuned}")
