"""``isogloss demo``: a tour of the toolkit that needs no files."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["demo"]


def demo(
    folder: Annotated[Path, typer.Option("--folder", help="Where the demo's files go.")] = Path(
        "isogloss-demo"
    ),
) -> None:
    """Show the toolkit at work on a small corpus that it makes itself."""
    from isogloss.cli.main import app
    from isogloss.demo import tour
    from isogloss.errors import OutputError

    marker = folder / ".isogloss-demo"
    if folder.exists() and any(folder.iterdir()) and not marker.exists():
        raise OutputError("the folder holds something else", folder, "choose another one with --folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    marker.touch()
    for number, stop in enumerate(tour(folder), start=1):
        console.note(f"\n{number}. {stop.purpose}\n$ isogloss {shlex.join(stop.arguments)}")
        app(args=stop.arguments, prog_name="isogloss", standalone_mode=False)
    console.note(f"\nEverything is in {folder}/; run any of the commands again, or on your own files.")
