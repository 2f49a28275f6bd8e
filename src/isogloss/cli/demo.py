"""``isogloss demo``: the whole workflow of a new user, without any files of their own."""

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
    folder: Annotated[Path, Parameter(help="Folder for the files of the demo.")] = Path("isogloss-demo"),
    serve: Annotated[
        bool, Parameter(negative=(), help="Afterwards, serve the engine and its workbench page until Ctrl-C.")
    ] = False,
) -> None:
    """Build, evaluate and explain an English-German engine from open-source message catalogs.

    Downloads the messages of seven packages (25 MB, once), cleans and splits them, trains an engine in
    two ways, evaluates, explains a translation and fills a catalog. Takes a few minutes on two processors;
    an interrupted demo resumes if you repeat the command.
    """
    from isogloss.cli.main import run_words

    begun = time.monotonic()
    outcome = run_demo(folder, options, run_words=run_words, say=console.note, track=console.track)
    _print(outcome, time.monotonic() - begun)
    if serve:
        from isogloss.serve import serve as serve_engines  # needs an extra, and the rest of the demo does not

        serve_engines([f"demo={outcome.journey.system}"], say=console.note)


def _print(outcome: DemoOutcome, seconds: float) -> None:
    title, *columns = outcome.HEAD
    table = Table(title, box=None)
    for name in columns:
        table.add_column(name, justify="right")
    for row in outcome.rows():
        table.add_row(*row)
    console.note("\nSome translations, by MERT and by the default")
    for name, text in outcome.examples(4):
        console.note(f"  {name:<20}{text}".rstrip())
    console.print_table(table)
    sys.stdout.flush()
    console.note(
        f"\nPlaceholders: {outcome.placeholders()}; in the column 'BLEU, marked', each counts as one word.\n"
        f"{seconds / 60:.1f} minutes; everything is in {outcome.journey.folder}/, the report in "
        f"{outcome.report}\nNext, try:\n" + "\n".join(f"  {command}" for command in outcome.next_commands())
    )
