"""``isogloss experiment relevant-set``: the block orientation model on the user's data."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.table import Table

from isogloss.cli import console

__all__ = ["relevant_set"]


def relevant_set(
    config: Annotated[str, typer.Option(metavar="FILE", help="TOML file that describes the data.")],
    output: Annotated[
        str,
        typer.Option(
            metavar="DIR", help="Folder for models, results.json and report.html; a run goes on in it."
        ),
    ],
    threads: Annotated[int, typer.Option(metavar="N", min=0, help="Threads; 0 uses all processors.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Relevant set training (Tillmann and Zhang 2006): Table 3 and the learning curves on your data."""
    import json as text

    from isogloss.corpus.streams import atomic_output
    from isogloss.rerank.experiment import output_folder
    from isogloss.training.relevant_set_experiment import (
        experiment_page,
        read_experiment,
        run_experiment,
        table,
    )

    options = read_experiment(config)
    folder = output_folder(output)
    results = run_experiment(
        options, folder, threads=threads or os.cpu_count() or 1, say=console.note, track=console.track
    )
    with atomic_output(folder / "results.json") as stream:
        stream.write(text.dumps(results, indent=1, ensure_ascii=False) + "\n")
    experiment_page(results).write(folder / "report.html")
    if json:
        console.print_json(results)
        return
    head, rows = table(results)
    shown = Table(*head, box=None)
    for row in rows:
        shown.add_row(*row)
    console.print_table(shown)
