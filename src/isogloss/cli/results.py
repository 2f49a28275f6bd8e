"""How the experiments give their results: a file in their folder, tables or JSON on standard output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from isogloss.cli import console
from isogloss.io.errors import OutputError

__all__ = ["ResultTable", "give_results", "output_folder"]

ResultTable = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""Title, heads of columns, rows."""


def output_folder(path: str) -> Path:
    """Where results go, made if it is not there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder, "name a folder for the results") from None
    return folder


def give_results(
    results: Mapping[str, Any], tables: Iterable[ResultTable], folder: Path | None, *, as_json: bool
) -> None:
    """Write the results into the folder, and print them as JSON or as tables."""
    from isogloss.io.streams import atomic_output

    if folder is not None:
        with atomic_output(folder / "results.json") as stream:
            stream.write(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if as_json:
        console.print_json(results)
        return
    for title, heads, rows in tables:
        table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
        for place, head in enumerate(heads):
            table.add_column(head, overflow="fold", justify="right" if place else "left")
        for row in rows:
            table.add_row(*row)
        console.print_table(table)
